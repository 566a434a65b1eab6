/// Where the bytes of an archive's member are.
package struct ArchiveMember: Hashable, Sendable {
  /// The file that has them, with a zero byte at the end: the archive, or for a thin one the file
  /// that it names.
  let file: [CChar]
  /// Nil for all of the file.
  let range: Range<UInt64>?
  /// True if the archive was asked for, and has others too.
  package let isOneOfSeveral: Bool

  package init(file: [CChar], range: Range<UInt64>?, isOneOfSeveral: Bool) {
    self.file = file
    self.range = range
    self.isOneOfSeveral = isOneOfSeveral
  }
}
