import Glibc
import RebindFiles

/// The paths of libraries by their names, as `ldconfig` has found them. The corresponding file is
/// `/etc/ld.so.cache`.
///
/// It has a header of 48 bytes, entries of 24, and strings. An entry says where in the file its
/// name and path are. Entries that break this layout are passed over, as the loader does.
struct LoaderCache {
  private let bytes: [UInt8]
  /// Where the header is: behind that of an older format, in caches that have both.
  private let start: Int
  private let count: Int
  private let isSwapped: Bool
  /// The names of folders for better processors, which entries refer to by their index.
  private var hardwareNames: [String] = []
  /// The entries of each name, in their order.
  private var entries: [String: [Int]] = [:]

  /// Reads a cache; nil if it does not exist.
  ///
  /// - Parameter byteOrder: The byte order of the programs that the cache is for.
  init?(_ path: FilePath, _ byteOrder: ByteOrder) {
    guard let file = try? RegularFile.open(path), file.size <= Self.largest else { return nil }
    let bytes = file.read(Int(file.size), at: 0)
    guard let start = Self.start(in: bytes), start + 48 <= bytes.count else { return nil }
    self.bytes = bytes
    self.start = start
    isSwapped = byteOrder != .host
    let stated = Self.number(bytes, start + 20, isSwapped)
    count = min(Int(stated), (bytes.count - start - 48) / 24)
    readHardwareNames()
    for index in 0..<count {
      if let name = string(number(start + 48 + 24 * index + 4)) {
        entries[name, default: []].append(index)
      }
    }
  }

  /// The paths that a name may stand for, the best first.
  ///
  /// - Parameters:
  ///   - hardware: The folders for better processors that count here, the best first.
  ///   - legacy: The processor as older loaders see it; nil for newer ones.
  func paths(of name: String, hardware: [String], legacy: LegacyHardware?) -> [String] {
    var best: [(rank: Int, path: String)] = []
    for index in entries[name] ?? [] {
      let entry = start + 48 + 24 * index
      guard let path = string(number(entry + 8)) else { continue }
      let low = number(entry + (isBig ? 20 : 16))
      let high = number(entry + (isBig ? 16 : 20))
      if low == 0, high == 0 {
        best.append((hardware.count, path))
      } else if high == Self.named, Int(low) < hardwareNames.count,
        let rank = hardware.firstIndex(of: hardwareNames[Int(low)])
      {
        best.append((rank, path))
      } else if high != Self.named, legacy?.takes(UInt64(high) << 32 | UInt64(low)) ?? false {
        best.append((hardware.count, path))
      }
    }
    return best.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element.path)
  }

  private static let largest: UInt64 = 64 << 20
  private static let magic = Array("glibc-ld.so.cache1.1".utf8)
  private static let oldMagic = Array("ld.so-1.7.0".utf8)
  /// The upper half of an entry's `hwcap` if the lower half is the index of a name.
  private static let named: UInt32 = 1 << 30

  private static func start(in bytes: [UInt8]) -> Int? {
    if bytes.starts(with: magic) { return 0 }
    guard bytes.starts(with: oldMagic) else { return nil }
    // Behind the entries of the older format, aligned.
    for isSwapped in [false, true] where bytes.count >= 16 {
      let start = (16 + 12 * Int(number(bytes, 12, isSwapped)) + 7) & ~7
      if start < bytes.count, bytes[start...].starts(with: magic) { return start }
    }
    return nil
  }

  private mutating func readHardwareNames() {
    let extensions = start + Int(number(start + 32))
    guard number(start + 32) != 0, number(extensions) == 0xEAA4_2174 else { return }
    for section in 0..<min(Int(number(extensions + 4)), 64) {
      let header = extensions + 8 + 16 * section
      guard number(header) == 1 else { continue }
      let offset = start + Int(number(header + 8))
      for index in 0..<min(Int(number(header + 12)) / 4, 4096) {
        hardwareNames.append(string(number(offset + 4 * index)) ?? "")
      }
    }
  }

  private var isBig: Bool { isSwapped == (ByteOrder.host == .little) }

  /// The number at an offset; 0 behind the end.
  private func number(_ offset: Int) -> UInt32 { Self.number(bytes, offset, isSwapped) }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ isSwapped: Bool) -> UInt32 {
    guard offset >= 0, offset + 4 <= bytes.count else { return 0 }
    let word = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    return isSwapped ? word.byteSwapped : word
  }

  private func string(_ offset: UInt32) -> String? {
    let from = start + Int(offset)
    guard from < bytes.count, let end = bytes[from...].firstIndex(of: 0) else { return nil }
    return String(decoding: bytes[from..<end], as: UTF8.self)
  }
}
