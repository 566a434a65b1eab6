/// A name of a version of symbols that ends in numbers: `GLIBC_2.34`.
package struct VersionName: Equatable, Sendable {
  /// In front of the last underscore: `GLIBC`.
  package let prefix: String
  package let numbers: [Int]

  /// Nil for a name without numbers, such as `GLIBC_PRIVATE`.
  package init?(_ name: String) {
    let bytes = name.utf8
    guard let underscore = bytes.lastIndex(of: 0x5f), underscore > bytes.startIndex else {
      return nil
    }
    var numbers: [Int] = []
    var number: Int?
    for byte in bytes[bytes.index(after: underscore)...] {
      if byte == 0x2e, let last = number {
        numbers.append(last)
        number = nil
      } else if (0x30...0x39).contains(byte), number ?? 0 < Self.largest {
        number = (number ?? 0) * 10 + Int(byte - 0x30)
      } else {
        return nil
      }
    }
    guard let last = number else { return nil }
    numbers.append(last)
    prefix = String(name[..<underscore])
    self.numbers = numbers
  }

  private static let largest = 1 << 32

  /// True if it is of the same kind and newer. Numbers that are left out are 0.
  package func isNewer(than other: Self) -> Bool {
    guard prefix == other.prefix else { return false }
    for index in 0..<max(numbers.count, other.numbers.count) {
      let own = index < numbers.count ? numbers[index] : 0
      let others = index < other.numbers.count ? other.numbers[index] : 0
      if own != others { return own > others }
    }
    return false
  }

  package var text: String { prefix + "_" + numbers.map(String.init).joined(separator: ".") }
}
