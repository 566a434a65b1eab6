/// The options of the command line.
struct Options {
  var json = false
  var output: String?
  var command: [String]

  /// nil if it is wrong, or asks for help.
  init?(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let option = rest.first, option.hasPrefix("-") {
      rest.removeFirst()
      switch option {
      case "--json": json = true
      case "--output":
        guard let file = rest.popFirst() else { return nil }
        output = file
      default: return nil
      }
    }
    guard !rest.isEmpty else { return nil }
    command = Array(rest)
  }
}
