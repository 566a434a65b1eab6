import Glibc

extension InputError {
  /// What went wrong, for people: one line without the path.
  var message: String {
    let field = field ?? "the file"
    let place = offset.map { " (at offset \(hex($0)))" } ?? ""
    return switch reason {
    case .system(let number):
      String(cString: strerror(number))
    case .notRegularFile:
      "not a regular file"
    case .empty:
      "the file is empty"
    case .notELF:
      "not an ELF file"
    case .truncated(let end, let fileSize):
      "truncated: \(field) ends at \(hex(end)), the file at \(hex(fileSize))\(place)"
    case .tooLarge(let size):
      "\(field) has \(size) bytes, more than the \(ELFReader.largestTable) of one table\(place)"
    case .outOfMemory:
      "no memory for \(field)\(place)"
    case .malformed(let how):
      "malformed: \(field) \(how)\(place)"
    }
  }
}

/// A number as addresses and offsets read in messages.
func hex(_ value: some BinaryInteger) -> String {
  "0x" + String(value, radix: 16)
}
