public import Rebind

/// Bytes of the section of annotations of a file that are no record.
public struct FileAnnotationFault: Sendable, Hashable {
  /// Why they are none.
  public var reason: AnnotationFault.Reason
  /// Where that is, in bytes from the section's start.
  public var offset: Int
  /// How many bytes were passed over.
  public var size: Int
}

extension FileAnnotationFault: CustomStringConvertible {
  /// `at offset 0x40 of rebind_annotations: …`.
  public var description: String {
    "at offset 0x\(String(offset, radix: 16)) of rebind_annotations: \(reason)"
  }
}
