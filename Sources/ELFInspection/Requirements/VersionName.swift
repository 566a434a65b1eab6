/// A name of a version of symbols that ends in numbers: `GLIBC_2.34`.
package struct VersionName: Equatable, Sendable {
  /// In front of the last underscore: `GLIBC`.
  package let prefix: String
  package let numbers: [Int]

  /// Nil for a name without numbers, such as `GLIBC_PRIVATE`.
  package init?(_ name: String) {
    guard let underscore = name.lastIndex(of: "_"), underscore > name.startIndex else { return nil }
    let parts = name[name.index(after: underscore)...].split(
      separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == parts.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    prefix = String(name[..<underscore])
    self.numbers = numbers
  }

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
