import Glibc
import Rebind
import RebindFiles

/// The symbols of an image by their addresses.
struct SymbolPlaces {
  private let table: SymbolTable
  /// By rising link-time address.
  private let sorted: [(value: UInt64, index: Int)]
  /// The names of functions whose address a resolver gives.
  private let indirect: Set<String>

  /// - Complexity: O(*n* log *n*), where *n* is the number of symbols.
  init(of table: SymbolTable) {
    self.table = table
    var sorted: [(value: UInt64, index: Int)] = []
    var indirect: Set<String> = []
    for index in table.indices {
      let symbol = table[index]
      // Not SHN_ABS. A canonical PLT entry is undefined, with a value.
      guard symbol.value != 0, symbol.type != .threadLocal, symbol.type != .section,
        symbol.sectionIndex != 0xfff1
      else { continue }
      // `$x`, which assemblers write where code starts on ARM, AArch64 and RISC-V.
      if symbol.binding == .local, symbol.size == 0, Self.name(of: symbol, table).pointee == 0x24 {
        continue
      }
      sorted.append((symbol.value, index))
      if symbol.type == .indirectFunction, symbol.isDefined {
        indirect.insert(String(cString: Self.name(of: symbol, table)))
      }
    }
    sorted.sort { ($0.value, $0.index) < ($1.value, $1.index) }
    self.sorted = sorted
    self.indirect = indirect
  }

  /// True if a symbol of this name is at an address.
  ///
  /// - Complexity: O(log *n*).
  func has(_ name: UnsafePointer<CChar>, at address: UInt64) -> Bool {
    var place = firstPlace(from: address)
    while place < sorted.count, sorted[place].value == address {
      if strcmp(Self.name(of: table[sorted[place].index], table), name) == 0 { return true }
      place += 1
    }
    return false
  }

  /// True if an address is inside of a symbol of this name.
  func has(_ name: UnsafePointer<CChar>, around address: UInt64) -> Bool {
    sorted.contains { value, index in
      address >= value && address - value < table[index].size
        && strcmp(Self.name(of: table[index], table), name) == 0
    }
  }

  /// True if the image defines a symbol of this name.
  ///
  /// - Complexity: O(*n*), where *n* is the number of symbols.
  func defines(_ name: String) -> Bool {
    sorted.contains { _, index in
      table[index].isDefined && strcmp(Self.name(of: table[index], table), name) == 0
    }
  }

  /// True if the image defines a function of this name whose address a resolver gives.
  func hasIndirect(_ name: UnsafePointer<CChar>) -> Bool {
    !indirect.isEmpty && indirect.contains(String(cString: name))
  }

  /// The symbol that an address is in, or nil; of several that of the name. Otherwise one without
  /// an underscore at its start is taken, and the shortest: `signal`, not `bsd_signal`.
  func symbol(at address: UInt64, hint: UnsafePointer<CChar>?) -> (name: String, offset: UInt64)? {
    var place = firstPlace(from: address)
    while place < sorted.count, sorted[place].value == address { place += 1 }
    var best: Int?
    // A few may end before the address, or lie in another.
    var rest = 64
    while place > 0, rest > 0 {
      place -= 1
      rest -= 1
      let (value, index) = sorted[place]
      if let best, value < sorted[best].value { break }
      let symbol = table[index]
      guard
        value == address || (symbol.isDefined && address - value < symbol.size)
      else { continue }
      if best == nil || isBetter(place, than: best ?? place, hint) { best = place }
    }
    guard let best else { return nil }
    let (value, index) = sorted[best]
    return (String(cString: Self.name(of: table[index], table)), address - value)
  }

  private func isBetter(_ place: Int, than other: Int, _ hint: UnsafePointer<CChar>?) -> Bool {
    let name = Self.name(of: table[sorted[place].index], table)
    let otherName = Self.name(of: table[sorted[other].index], table)
    if let hint {
      if strcmp(otherName, hint) == 0 { return false }
      if strcmp(name, hint) == 0 { return true }
    }
    let (isPlain, isOtherPlain) = (name.pointee != 0x5f, otherName.pointee != 0x5f)
    if isPlain != isOtherPlain { return isPlain }
    let (length, otherLength) = (strlen(name), strlen(otherName))
    return length != otherLength ? length < otherLength : strcmp(name, otherName) < 0
  }

  /// The first place whose address is not below this one.
  private func firstPlace(from address: UInt64) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].value < address { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func name(of symbol: SymbolEntry, _ table: SymbolTable) -> UnsafePointer<CChar> {
    // No table that has a symbol is empty.
    table.name(of: symbol).assumingMemoryBound(to: CChar.self).baseAddress
      .unsafelyUnwrapped
  }
}
