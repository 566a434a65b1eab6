/// A heading and what stands below it.
public final class Section {
  public let title: Substring
  public private(set) var sections: [Section] = []
  /// *Mended:* it was a strong reference, and no outline was ever freed.
  public private(set) weak var parent: Section?

  init(title: Substring) { self.title = title }

  func add(_ section: Section) {
    sections.append(section)
    section.parent = self
  }
}

/// The outline of a text whose headings begin with `#`, a level for each.
public func outline(of text: String) -> Section {
  let root = Section(title: "")
  var path = [root]
  // *Mended:* `split` made an array of all lines.
  var rest = text[...]
  while let line = nextLine(&rest) {
    let level = line.prefix { $0 == "#" }.count
    guard level > 0, level <= path.count else { continue }
    // *Mended:* it was a String, a copy of each title.
    let section = Section(title: line.dropFirst(level + 1))
    path.removeLast(path.count - level)
    path.last?.add(section)
    path.append(section)
  }
  return root
}

/// The number of headings.
public func headingCount(of text: String) -> Int {
  var rest = text[...]
  var count = 0
  while let line = nextLine(&rest) {
    if line.first == "#" { count += 1 }
  }
  return count
}

/// Takes a line away.
private func nextLine(_ text: inout Substring) -> Substring? {
  guard !text.isEmpty else { return nil }
  let end = text.firstIndex(of: "\n") ?? text.endIndex
  defer { text = text[end...].dropFirst() }
  return text[..<end]
}
