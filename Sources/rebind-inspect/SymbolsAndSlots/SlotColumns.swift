#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The columns of a slot's line of text: address, relocation, kind, section, binding, relro, needs,
/// addend, what of it is added, and symbol with version.
///
/// Most slots share all but the address, symbol and addends with a slot in front of them: the columns
/// in between are written once, and then copied.
struct SlotColumns: ~Copyable {
  private let style: TextStyle
  private let listing: SlotListing
  private var cursor: SectionPlaces.Cursor
  /// By the kinds' places: the columns of the last slot of this kind.
  private var last: [SlotWords?]
  private var demangler = Demangler()
  // All widths are 0, which fills up nothing, where the columns are not aligned.
  private var addressWidth = 0
  private var relocationWidth = 0
  private var kindWidth = 0
  private var sectionWidth = 0
  private var bindingWidth = 0
  private var relroWidth = 0
  private var needsWidth = 0
  private var addendWidth = 0
  private var addedWidth = 0

  init(of listing: SlotListing, _ style: TextStyle) {
    self.init(listing, style)
    guard style.isAligned else { return }
    addressWidth = 2 + 2 * listing.elfClass.addressSize
    relocationWidth = listing.kinds.reduce("RELOCATION".utf8.count) {
      max($0, $1.relocation.count - 1)
    }
    sectionWidth = max("SECTION".utf8.count, listing.sections.width)
    setWidthsOfWords()
  }

  /// Columns that are aligned from file to file, if no word in them is longer than usual.
  init(ofSeveralFiles listing: SlotListing, _ style: TextStyle) {
    self.init(listing, style)
    guard style.isAligned else { return }
    addressWidth = 18
    relocationWidth = "R_AARCH64_JUMP_SLOT".utf8.count
    sectionWidth = ".data.rel.ro".utf8.count
    setWidthsOfWords()
  }

  private init(_ listing: SlotListing, _ style: TextStyle) {
    self.style = style
    self.listing = listing
    cursor = listing.sections.cursor
    last = listing.kinds.map { _ in nil }
  }

  private mutating func setWidthsOfWords() {
    kindWidth = "jumpSlot".utf8.count
    bindingWidth = "BINDING".utf8.count
    relroWidth = "RELRO".utf8.count
    needsWidth = "mprotect".utf8.count
    addendWidth = "ADDEND".utf8.count
    addedWidth = "ADDED".utf8.count
  }

  /// The widths of the columns in front of the symbol.
  var widths: [Int] {
    [
      addressWidth, relocationWidth, kindWidth, sectionWidth, bindingWidth, relroWidth, needsWidth,
      addendWidth, addedWidth,
    ]
  }

  /// Writes all columns in front of the symbol.
  @inline(__always)
  mutating func write(_ slot: FileSlot, in output: inout OutputBuffer) {
    style.begin(in: &output)
    output.reserve(OutputBuffer.longestNumber + 1)
    output.append(hex: slot.address, width: addressWidth)
    output.append(0x20)
    let section = cursor.place(at: slot.address)
    let kind = slot.kind.place
    if let words = last[kind], words.fit(slot, section) {
      write(words, slot, in: &output)
    } else {
      let words = SlotWords(slot, section, self.words(slot, section, output.isWrapped))
      last[kind] = words
      write(words, slot, in: &output)
    }
  }

  @inline(__always)
  private borrowing func write(_ words: SlotWords, _ slot: FileSlot, in output: inout OutputBuffer)
  {
    output.append(bytes: words.bytes)
    output.reserve(2 * (OutputBuffer.longestNumber + 2))
    output.append(hexIfAny: slot.addend, width: addendWidth)
    output.append(0x20)
    output.append(hexIfAny: slot.added, width: addedWidth)
  }

  /// The columns behind the address, up to the addends.
  private func words(_ slot: FileSlot, _ section: Int?, _ isWrapped: Bool) -> [UInt8] {
    OutputBuffer.bytes(isWrapped: isWrapped) { output in
      let names = listing.kinds[slot.kind.place]
      write(names.relocation, width: relocationWidth, in: &output)
      write(names.kind, width: kindWidth, in: &output)
      let section = section.map { listing.sections.name(of: $0) } ?? [0x2d, 0]
      write(section, width: sectionWidth, in: &output)
      write(slot.isLazy ? "lazy" : "now", width: bindingWidth, in: &output)
      write(slot.isRelro ? "relro" : "-", width: relroWidth, in: &output)
      write(slot.isProtected ? "mprotect" : "store", width: needsWidth, in: &output)
    }
  }

  /// Writes `-` in all columns in front of the symbol.
  func writeNone(in output: inout OutputBuffer) {
    style.begin(in: &output)
    output.reserve(256)
    for (index, width) in widths.enumerated() {
      if index > 0 { output.append(0x20) }
      if Self.areRight[index] { output.pad(width - 1) }
      output.append(0x2d)
      if !Self.areRight[index] { output.pad(width - 1) }
    }
  }

  /// The titles, with those of what a process holds if `presences` say so.
  func titles(_ columns: [Declaration], _ presences: [Presence] = []) -> [ColumnTitle] {
    columns.titles(
      widths, [.always] + listing.demangling.presences + presences,
      hasMangled: listing.demangling != .only)
  }

  /// Writes `symbol`, `symbol@version` or `symbol@@version`, with a space in front. Nothing if readable names
  /// stand in its place.
  @inline(__always)
  func writeSymbol(_ index: Int, of symbols: SymbolTable, in output: inout OutputBuffer) {
    if listing.demangling == .only { return }
    let symbol = symbols[index]
    output.reserve(1)
    output.append(0x20)
    output.append(name: symbols.name(of: symbol), .column)
    output.append(
      version: symbols.versions?.version(of: symbol, at: index), of: symbols,
      isColored: style.isColored)
  }

  /// Writes the readable name behind all else, if that is asked for, and ends the line.
  @inline(__always)
  mutating func end(_ index: Int, of symbols: SymbolTable, in output: inout OutputBuffer) {
    output.append(
      readable: symbols[index], index, of: symbols, listing.demangling, &demangler,
      isColored: style.isColored)
    output.reserve(1)
    output.append(0x0a)
  }

  private func write(_ name: [UInt8], width: Int, in output: inout OutputBuffer) {
    name.withUnsafeBytes { output.append(name: $0, .column) }
    output.fill(width - (name.count - 1))
    output.reserve(1)
    output.append(0x20)
  }

  private func write(_ word: StaticString, width: Int, in output: inout OutputBuffer) {
    output.reserve(32)
    output.append(word)
    output.pad(width - word.utf8CodeUnitCount)
    output.append(0x20)
  }

  private static let areRight = SlotListing.record.columns.titles().map(\.isRight)
}

#endif
