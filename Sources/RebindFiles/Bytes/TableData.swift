/// A table of a file in the host's byte order, which keeps the file's bytes alive.
package struct TableData {
  package let bytes: UnsafeRawBufferPointer
  /// Where the table starts in the file.
  package let offset: UInt64
  private let owner: ELFReader

  init(
    _ bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    offset: UInt64, of owner: ELFReader
  ) {
    self.bytes = bytes
    self.offset = offset
    self.owner = owner
  }

  /// The number of whole entries of this type.
  @inlinable
  package func count<Entry: BitwiseCopyable>(of type: Entry.Type) -> Int {
    bytes.count / MemoryLayout<Entry>.stride
  }

  /// The entry at `index`, which the caller has held against the count.
  @inlinable
  package func entry<Entry: BitwiseCopyable>(_ index: Int, as type: Entry.Type) -> Entry {
    bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Entry>.stride, as: type)
  }

  /// A name of the table as text, one of many.
  func text(_ name: UnsafeRawBufferPointer) throws(ELFFileError) -> String {
    try owner.text(name)
  }

  /// An error whose offset is where the table starts, or `distance` bytes behind.
  package func error(
    _ reason: ELFFileError.Reason, field: String, distance: Int = 0
  ) -> ELFFileError {
    owner.error(reason, field: field, at: offset &+ UInt64(distance))
  }
}
