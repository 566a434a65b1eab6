#if Commands

import ArgumentParser
import RebindFiles

/// The values of `--demangle`.
enum Demangling: Sendable {
  case none
  /// Readable names beside the mangled ones.
  case beside
  /// In text, readable names in place of the mangled ones.
  case only

  /// The presences of the fields that this option adds.
  var presences: [Presence] { self == .none ? [] : [.demangled] }
}

/// The option of the subcommands that show symbols.
struct DemangleOption: ParsableArguments {
  @Flag(
    help: """
      Show the readable names of Swift and C++ beside the mangled ones; --demangle=only leaves the \
      mangled ones out of the text.
      """)
  var demangle = false

  @Flag(name: .customLong(RawArguments.demangleOnly), help: .hidden)
  var only = false

  var value: Demangling { only ? .only : demangle ? .beside : .none }
}

extension Presence {
  static let demangled = with("`--demangle`")
}

extension Declaration {
  /// The field of a readable name, behind the mangled one.
  static let demangledName = Declaration(
    "demangledName",
    Column("READABLE", isLine: true, place: 9, "the readable name, to the end of the line"),
    .text.orNull, "the readable name; `null` if the name is not mangled", when: .demangled)
}

extension Listing {
  /// The same listing with the columns of text that an option asks for.
  func shown(_ demangling: Demangling) -> Self {
    shown([.always] + demangling.presences, hasMangled: demangling != .only)
  }
}

extension Demangler {
  /// A readable name; nil if the name is not mangled.
  static func demangled(_ name: UnsafeRawBufferPointer) -> String? {
    var demangler = Demangler()
    return demangler.demangle(name).map { String(decoding: $0, as: UTF8.self) }
  }

  static func demangled(_ name: String) -> String? {
    (Array(name.utf8) + [0]).withUnsafeBytes { demangled($0) }
  }
}

extension OutputBuffer {
  /// Appends the member of a symbol's object that has its readable name.
  mutating func append(demangledName name: UnsafeRawBufferPointer?, none: StaticString) {
    reserve(64)
    append(",\"demangledName\":")
    guard let name else { return append(none) }
    append(0x22)
    append(name: name, .json)
    reserve(1)
    append(0x22)
  }

  /// Appends the column of a symbol's readable name, the last one of its line. Beside the mangled name, `-`
  /// stands for a name that is not mangled; else it stands there itself, and its version behind it.
  mutating func append(
    readable symbol: SymbolEntry, _ index: Int, of table: SymbolTable, _ demangling: Demangling,
    _ demangler: inout Demangler, isColored: Bool
  ) {
    if demangling == .none { return }
    let name = table.name(of: symbol)
    let readable = demangler.demangle(name) ?? (demangling == .only && name[0] != 0 ? name : nil)
    guard let readable else { return append(text: " -") }
    reserve(TextStyle.longestColor + 1)
    append(0x20)
    if isColored { append(TextStyle.demangled) }
    append(name: readable, .line)
    reserve(TextStyle.longestColor)
    if isColored { append(TextStyle.plain) }
    if demangling == .only {
      append(
        version: table.versions?.version(of: symbol, at: index), of: table, isColored: isColored)
    }
  }

  /// Appends `@version` or `@@version`; nothing without one.
  @inline(__always)
  mutating func append(version: SymbolVersion?, of table: SymbolTable, isColored: Bool) {
    guard let version else { return }
    reserve(TextStyle.longestColor + 2)
    if isColored { append(TextStyle.version) }
    append(version.isDefault ? "@@" : "@")
    append(name: table.strings.bytes(from: version.nameOffset), .column)
    reserve(TextStyle.longestColor)
    if isColored { append(TextStyle.plain) }
  }
}

#endif
