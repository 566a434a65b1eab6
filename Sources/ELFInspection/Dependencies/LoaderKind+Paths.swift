import Rebind
import RebindFiles

extension LoaderKind {
  /// Where the loader of such programs is, for a library that names none; nil if that is not
  /// known.
  func usualPath(_ elfClass: ELFClass, _ byteOrder: ByteOrder, _ machine: Machine) -> String? {
    guard let name = Self.loaderNames[LoaderName(elfClass, byteOrder, machine)] else { return nil }
    return switch self {
    case .glibc: name.glibc
    case .musl: "/lib/ld-musl-\(name.musl).so.1"
    }
  }

  /// The libraries that a value of `LD_PRELOAD` names.
  func preloads(_ value: String) -> [String] {
    // The blanks of isspace(3).
    let separators: [UInt8] = Array((self == .musl ? ": \t\n\u{B}\u{C}\r" : ": ").utf8)
    return value.utf8.split { separators.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Why a loader would not load a file as a library, and not look for another one; nil if it would.
  ///
  /// musl's takes programs too.
  func refusal(of file: ELFFile) -> String? {
    let flags1 = ((try? file.dynamicTable) ?? nil)?.flags1 ?? []
    return switch file.type {
    case .sharedObject where self == .glibc && flags1.contains(.positionIndependentExecutable):
      "is a position-independent program, not a library"
    case .sharedObject: nil
    case .executable: self == .glibc ? "is a program, not a library" : nil
    case _ where file.isRelocatable: "is an object file, not a library"
    case _ where file.isCore: "is a core file, not a library"
    default: "is not a library"
    }
  }

  private struct LoaderName: Hashable {
    let elfClass: ELFClass
    let byteOrder: ByteOrder
    let machine: Machine

    init(_ elfClass: ELFClass, _ byteOrder: ByteOrder, _ machine: Machine) {
      self.elfClass = elfClass
      self.byteOrder = byteOrder
      self.machine = machine
    }
  }

  private static let loaderNames: [LoaderName: (glibc: String, musl: String)] = [
    LoaderName(.bits64, .little, .amd64): ("/lib64/ld-linux-x86-64.so.2", "x86_64"),
    LoaderName(.bits32, .little, .amd64): ("/libx32/ld-linux-x32.so.2", "x32"),
    LoaderName(.bits32, .little, .i386): ("/lib/ld-linux.so.2", "i386"),
    LoaderName(.bits64, .little, .aarch64): ("/lib/ld-linux-aarch64.so.1", "aarch64"),
    LoaderName(.bits64, .big, .aarch64): ("/lib/ld-linux-aarch64_be.so.1", "aarch64_be"),
    LoaderName(.bits32, .little, .arm): ("/lib/ld-linux-armhf.so.3", "armhf"),
    LoaderName(.bits64, .little, .riscv): ("/lib/ld-linux-riscv64-lp64d.so.1", "riscv64"),
    LoaderName(.bits64, .big, .s390): ("/lib/ld64.so.1", "s390x"),
    LoaderName(.bits64, .little, .ppc64): ("/lib64/ld64.so.2", "powerpc64le"),
    LoaderName(.bits64, .big, .ppc64): ("/lib64/ld64.so.1", "powerpc64"),
    LoaderName(.bits64, .little, .loongarch): (
      "/lib64/ld-linux-loongarch-lp64d.so.1", "loongarch64"
    ),
  ]
}

extension ELFFile {
  /// True if its loader binds all that it loads at once, whatever a file asks for: musl's does.
  var bindsAtLoad: Bool { LoaderKind(of: self) == .musl }
}
