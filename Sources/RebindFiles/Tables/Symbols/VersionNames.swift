import CLibelf
import Glibc
import Rebind

/// The names of an image's version indices, as offsets into the string table.
///
/// The corresponding tags are `DT_VERDEF`, for the versions that it defines, and `DT_VERNEED`, for
/// those that it needs of others.
package struct VersionNames {
  @usableFromInline package let definedNames: [UInt32]
  @usableFromInline package let neededNames: [UInt32]

  init(of file: ELFFile, _ dynamic: DynamicEntries, strings: StringTable) throws(ELFFileError) {
    var (defined, needed): ([UInt32], [UInt32]) = ([], [])
    try VersionRecords.forEachDefinition(of: file, dynamic, strings: strings) {
      Self.set($0.names[0], $0.index, in: &defined)
    }
    try VersionRecords.forEachNeed(of: file, dynamic, strings: strings) {
      Self.set($0.name, $0.index, in: &needed)
    }
    (definedNames, neededNames) = (defined, needed)
  }

  /// The name of a version that the image defines.
  @inlinable
  package func defined(_ index: VersionIndex) -> UInt32? { Self.name(index, in: definedNames) }

  /// The name of a version that the image needs of another.
  @inlinable
  package func needed(_ index: VersionIndex) -> UInt32? { Self.name(index, in: neededNames) }

  @inlinable
  package static func name(_ index: VersionIndex, in names: [UInt32]) -> UInt32? {
    guard index.number < names.count, names[index.number] != missing else { return nil }
    return names[index.number]
  }

  private static func set(_ name: UInt32, _ index: VersionIndex, in names: inout [UInt32]) {
    while names.count <= index.number { names.append(missing) }
    names[index.number] = name
  }

  /// No name can start here: it would not end inside a table of at most this size.
  @inlinable
  package static var missing: UInt32 { .max }
}
