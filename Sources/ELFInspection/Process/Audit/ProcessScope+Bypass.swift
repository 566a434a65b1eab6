import Rebind
import RebindFiles

extension ProcessScope {
  /// Where calls jump that bypass a slot; nil if they read it.
  ///
  /// glibc since 2.39 rewrites the PLT of an image that was linked with `-z mark-plt` into direct
  /// jumps where it is told to (`glibc.cpu.plt_rewrite`). An addend that the loader does not add marks
  /// the slot's PLT entry.
  func bypass(of slot: FileSlot, in image: LoadedImage) -> ProcessTarget? {
    guard image.image.machine == .amd64, slot.kind == .jumpSlot,
      let addend = slot.addend, addend != slot.added
    else { return nil }
    let (elfClass, entry) = (image.image.elfClass, UInt64(bitPattern: addend))
    let segment = image.image.segments.first {
      $0.type == .load && $0.permissions.isSuperset(of: [.read, .execute]) && $0.contains(entry)
    }
    guard let segment, segment.addresses.upperBound - entry >= DirectJump.longest else {
      return nil
    }
    let address = elfClass.wrapped(entry &+ image.image.loadBias)
    return bytes(at: address, DirectJump.longest)
      .flatMap { DirectJump.target(of: $0, at: address) }
      .map { target(at: elfClass.wrapped($0)) }
  }
}

/// glibc's `x86_64_rewrite_plt` rewrites a PLT entry to `jmp rel32`, or APX's `jmpabs imm64`,
/// behind an `endbr64` or not.
enum DirectJump {
  /// In bytes.
  static var longest: UInt64 { 4 + 11 }

  /// Nil for other code.
  ///
  /// - Parameter code: At least `longest` bytes.
  static func target(of code: [UInt8], at address: UInt64) -> UInt64? {
    let hasLanding = code.starts(with: [0xf3, 0x0f, 0x1e, 0xfa])
    let jump = code.dropFirst(hasLanding ? 4 : 0)
    if jump.first == 0xe9 {
      let distance = Int32(truncatingIfNeeded: word(jump.dropFirst().prefix(4)))
      return address &+ (hasLanding ? 9 : 5) &+ UInt64(bitPattern: Int64(distance))
    }
    return jump.starts(with: [0xd5, 0x00, 0xa1]) ? word(jump.dropFirst(3).prefix(8)) : nil
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
