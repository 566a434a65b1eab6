package import RebindFiles

extension FileFacts {
  /// Reads the facts that `diff --facts --format json` has written.
  ///
  /// - Throws: `ELFFileError` if the file cannot be read, or is something else.
  package init(baseline path: FilePath) throws(ELFFileError) {
    let file = try RegularFile.open(path)
    guard file.size <= ELFReader.largestTable else {
      throw ELFFileError(path: path, reason: .tooLarge(size: file.size))
    }
    var reader = JSONReader(String(decoding: file.read(Int(file.size), at: 0), as: UTF8.self))
    guard let document = reader.document() else {
      throw ELFFileError(
        path: path, reason: .malformed("is no JSON"), offset: UInt64(reader.offset))
    }
    func malformed(_ field: String, _ how: String) -> ELFFileError {
      ELFFileError(path: path, reason: .malformed(how), field: field)
    }
    guard document["schema"]?.text == "rebind-inspect/1" else {
      throw malformed("schema", "is not rebind-inspect/1")
    }
    // A line of `jsonl` is the file itself.
    let files = document["files"]?.elements ?? [document]
    guard files.count == 1, let list = files[0]["facts"]?.elements else {
      throw malformed("facts", "are not those of one file, as diff --facts lists them")
    }
    var facts: [FileChange.Kind: [Fact]] = [:]
    for (index, fact) in list.enumerated() {
      guard let kind = fact["kind"]?.text.flatMap({ FileChange.Kind(rawValue: $0) }),
        let name = fact["name"]?.text, let value = fact["value"]?.text
      else { throw malformed("facts[\(index)]", "has no kind that is known, name and value") }
      facts[kind, default: []].append((name, value))
    }
    self.init(facts)
  }
}

extension JSONValue {
  fileprivate subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  fileprivate var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  fileprivate var elements: [JSONValue]? {
    if case .list(let values) = self { values } else { nil }
  }
}
