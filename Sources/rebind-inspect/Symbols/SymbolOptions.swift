#if Commands

import ArgumentParser
import Rebind

/// The arguments that say which symbols are shown, and in which order.
struct SymbolOptions: ParsableArguments {
  @Flag(
    name: [.customLong("imports"), .customLong("undefined")],
    help: "Only the symbols that the file takes from others: the undefined ones.")
  var imports = false

  @Flag(
    help: """
      Only the symbols that others can take from the file. With --imports, both are shown.
      """)
  var exports = false

  @Flag(help: "Only weak symbols.")
  var weak = false

  @Option(
    help: ArgumentHelp(
      """
      Only the symbols of this name, or with --demangle of this readable name: a shell pattern, \
      or between slashes a regular expression. Several are alternatives, here and below.
      """, valueName: "pattern"))
  var name: [NamePattern] = []

  @Option(
    name: .customLong("symbol-version"),
    help: ArgumentHelp("Only the symbols whose version matches this pattern.", valueName: "pattern")
  )
  var symbolVersions: [NamePattern] = []

  @Option(help: ArgumentHelp("Only the symbols of this type, such as FUNC.", valueName: "type"))
  var type: [SymbolTypeName] = []

  @Option(
    help: ArgumentHelp("Only the symbols of this size: 8, 1-64 or 4096-.", valueName: "bytes"))
  var size: [SymbolSizes] = []

  @Option(help: "The order: by index, name or value, or by size with the largest first.")
  var sort: SymbolOrder = .index

  /// - Parameters:
  ///   - isReadable: Whether readable names are shown, and so looked at.
  ///   - readable: Patterns for these names.
  func filter(isReadable: Bool, _ readable: ReadableNames) -> SymbolFilter {
    SymbolFilter(
      part: SymbolSelection(imports: imports, exports: exports), isWeak: weak, names: name,
      isReadable: isReadable, readable: readable, versions: symbolVersions,
      types: type.map(\.type),
      sizes: size.map(\.range),
      order: sort)
  }
}

extension SymbolOrder: ExpressibleByArgument {}

/// A value of `--type`, in letters of any case.
struct SymbolTypeName: ExpressibleByArgument {
  let type: SymbolType

  init?(argument: String) {
    let types = (0...15).map { SymbolType(rawValue: $0) }
    guard
      let type = types.first(where: { type in
        type.term.map { "\($0)" == argument.uppercased() } ?? false
      })
    else { return nil }
    self.type = type
  }

  static var allValueStrings: [String] {
    (0...15).compactMap { SymbolType(rawValue: $0).term.map { "\($0)" } }
  }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// A value of `--size`.
struct SymbolSizes: ExpressibleByArgument {
  let range: ClosedRange<UInt64>

  init?(argument: String) {
    let bounds = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count <= 2, let first = UInt64(bounds[0]) else { return nil }
    guard bounds.count == 2 else {
      range = first...first
      return
    }
    guard let last = bounds[1].isEmpty ? .max : UInt64(bounds[1]), last >= first else { return nil }
    range = first...last
  }
}

#endif
