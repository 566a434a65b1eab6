import Glibc
package import RebindFiles

/// A file of files, as `ar` makes it, with the names of the GNU, System V and BSD formats.
///
/// A thin archive has only the names of its members. The corresponding header is `<ar.h>`.
package struct Archive {
  private let path: FilePath
  private let file: [UInt8]
  private let isThin: Bool
  private var members: [Member] = []

  private struct Member {
    let name: [UInt8]
    /// Where the bytes are; for a thin archive's member nil.
    let range: Range<UInt64>?
  }

  /// The paths of the members of an archive that could not be opened as an ELF file. These are all
  /// members, or those of the name in brackets, as in `libfoo.a(bar.o)`.
  ///
  /// - Parameter error: Why the path could not be opened. It is thrown if the path is of no archive.
  /// - Complexity: O(members).
  package static func members(
    at path: FilePath, insteadOf error: ELFFileError
  ) throws(ELFFileError) -> [FilePath] {
    guard path.member == nil else { throw error }
    switch error.code {
    case .notELF:
      guard let archive = try Archive(path) else { throw error }
      return archive.members.map { archive.path(of: $0, isOneOfSeveral: true) }
    case .notFound:
      let bytes = path.bytes
      guard bytes.last == UInt8(ascii: ")") else { throw error }
      for bracket in bytes.indices where bytes[bracket] == UInt8(ascii: "(") {
        guard let archive = try? Archive(FilePath(Array(bytes[..<bracket]))) else { continue }
        let name = bytes[(bracket + 1)...].dropLast()
        let members = archive.members.filter { $0.name.elementsEqual(name) }
        guard !members.isEmpty else {
          throw ELFFileError(
            path: path, reason: .noMember(String(decoding: name, as: UTF8.self)))
        }
        return members.map { archive.path(of: $0, isOneOfSeveral: members.count > 1) }
      }
      throw error
    default: throw error
    }
  }

  private func path(of member: Member, isOneOfSeveral: Bool) -> FilePath {
    // A thin archive's names are relative to its folder.
    let folder = file.lastIndex(of: UInt8(ascii: "/")).map { file[...$0] } ?? []
    let place =
      member.range != nil
      ? file : member.name.first == UInt8(ascii: "/") ? member.name : folder + member.name
    return FilePath(
      file + Array("(".utf8) + member.name + Array(")".utf8),
      member: ArchiveMember(
        file: FilePath(place).cString, range: member.range, isOneOfSeveral: isOneOfSeveral))
  }

  /// Reads the headers of the members. Nil if the file does not start as an archive does.
  private init?(_ path: FilePath) throws(ELFFileError) {
    let file = try RegularFile.open(path)
    let magic = file.read(Self.magic.count, at: 0)
    guard magic == Self.magic || magic == Self.thinMagic else { return nil }
    self.path = path
    self.file = path.bytes
    isThin = magic == Self.thinMagic
    var longNames: [UInt8] = []
    var position = Self.magic.count
    while position < file.size {
      let header = file.read(Self.headerSize, at: position)
      guard header.count == Self.headerSize else {
        throw error(
          .truncated(end: UInt64(position + Self.headerSize), fileSize: file.size), position)
      }
      guard header.suffix(2) == [0x60, 0x0a], let size = Self.number(header[48..<58]) else {
        throw error(.malformed("is none"), position)
      }
      let contents = position + Self.headerSize
      var name = Array(header[..<16])
      while name.last == 0x20 { name.removeLast() }
      // The tables are in a thin archive too.
      let isTable = [Array("/".utf8), Array("/SYM64/".utf8), Array("//".utf8)].contains(name)
      let end = contents + (isThin && !isTable ? 0 : size)
      guard end <= file.size else {
        throw error(.truncated(end: UInt64(end), fileSize: file.size), position)
      }
      if name == Array("//".utf8) {
        guard size <= ELFReader.largestTable else {
          throw error(.tooLarge(size: UInt64(size)), position)
        }
        longNames = file.read(size, at: contents)
      } else if !isTable {
        try append(name, longNames, file, contents..<end, header: position)
      }
      position = end + end % 2
    }
  }

  private mutating func append(
    _ field: [UInt8], _ longNames: [UInt8], _ file: borrowing RegularFile, _ range: Range<Int>,
    header: Int
  ) throws(ELFFileError) {
    var (name, range) = (field, range)
    if field.first == UInt8(ascii: "/") {
      // An offset into the table of names.
      guard let start = Self.number(field[1...]), start < longNames.count else {
        throw error(
          field.contains(UInt8(ascii: ":"))
            ? .unsupported("is of an archive in a thin one")
            : .malformed("has no name in the table of names"), header)
      }
      name = Array(longNames[start...].prefix(Int(PATH_MAX)).prefix { $0 != 0x0a && $0 != 0 })
      // Each member may refer to the same one.
      guard name.count < PATH_MAX else {
        throw error(.malformed("has a name longer than any path"), header)
      }
      if name.last == UInt8(ascii: "/") { name.removeLast() }
    } else if field.starts(with: Array("#1/".utf8)) {
      // BSD: the name is in front of the contents, filled up with zeros.
      guard let size = Self.number(field[3...]), size <= range.count else {
        throw error(.malformed("has a name longer than its contents"), header)
      }
      name = Array(file.read(size, at: range.lowerBound).prefix { $0 != 0 })
      range = range.lowerBound + size..<range.upperBound
    } else if field.last == UInt8(ascii: "/") {
      name.removeLast()
    }
    // BSD's table of symbols.
    if name.starts(with: Array("__.SYMDEF".utf8)) { return }
    members.append(
      Member(
        name: name,
        range: isThin ? nil : UInt64(range.lowerBound)..<UInt64(range.upperBound)))
  }

  private func error(_ reason: ELFFileError.Reason, _ header: Int) -> ELFFileError {
    ELFFileError(
      path: path, reason: reason, field: "the header of a member", offset: UInt64(header))
  }

  /// Decimal digits with spaces behind them; nil if it is something else.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    let digits = digits.prefix { $0 != 0x20 }
    return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
  }

  private static let magic = Array("!<arch>\n".utf8)
  private static let thinMagic = Array("!<thin>\n".utf8)
  private static let headerSize = 60
}

extension ELFFile {
  /// Opens a file, or the member of an archive that a path names.
  package init(fileOrMember path: FilePath) throws(ELFFileError) {
    do throws(ELFFileError) {
      try self.init(path)
    } catch {
      let members = try Archive.members(at: path, insteadOf: error)
      guard members.count == 1 else {
        let first = members.first?.text
        throw ELFFileError(
          path: path,
          reason: .unsupported(
            first == path.text
              ? "has \(members.count) members of this name"
              : "is an archive of \(members.count) members"
                + (first.map { ": name one, as \($0)" } ?? "")))
      }
      try self.init(members[0])
    }
  }
}
