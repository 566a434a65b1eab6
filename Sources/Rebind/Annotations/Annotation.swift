#if os(Linux) && !REBIND_ELSEWHERE
/// A record that a compiler put into an image for a registry to find.
///
/// Documentation/ABI/Annotations.md describes records and how they are declared. The
/// corresponding C type is `crebind_annotation`.
public struct Annotation: Sendable, Hashable {
  /// The name of the annotations that are looked up together.
  public var group: String
  /// The key by which its registry finds it.
  public var key: String
  /// Further text for its registry; may be empty.
  public var value: String
  /// Annotations with a higher priority come first in their group.
  public var priority: Int
  /// The source line that declares it; nil if the record has none.
  public var line: Int?
  /// The image that carries it.
  public var image: Image
  /// Where the record is: in bytes from the start of the section `rebind_annotations`.
  public var offset: Int
  /// The run-time address of the function that answers a registry, or 0.
  package var accessor: UInt64

  /// True if the annotation can be asked for a type, instances or a pointer.
  public var hasAccessor: Bool { accessor != 0 }
}

extension Annotation {
  /// The annotations of all loaded images: those with a higher priority first, then in the
  /// order of the images and of their sections.
  ///
  /// A library with Swift code stays loaded when it is unloaded, and its annotations with it. A registry
  /// of RebindRegistry leaves those of an unloaded plug-in out.
  ///
  /// - Parameter group: Only those of this group; nil for all.
  /// - Throws: `AnnotationError`; `fault` for the first record that is none.
  /// - Complexity: O(images), and O(*n* log *n*) in the annotations, which are read again only
  ///   if an image has come or gone.
  ///
  /// The corresponding C function is `crebind_annotations`.
  public static func all(group: String? = nil) throws(AnnotationError) -> [Annotation] {
    let (annotations, faults) = try readable(group: group)
    if let fault = faults.first { throw .fault(fault) }
    return annotations
  }

  /// Like `all(group:)`, and also returns the records that could not be read.
  ///
  /// - Parameter group: Only annotations of this group; nil for all. Faults have no group,
  ///   so all of them are returned.
  /// - Throws: `AnnotationError.images`.
  /// - Complexity: The same as of `all(group:)`.
  public static func readable(
    group: String? = nil
  ) throws(AnnotationError) -> (annotations: [Annotation], faults: [AnnotationFault]) {
    let images = try LoadedAnnotations.current()
    return (
      images.flatMap(\.annotations).filter { group == nil || $0.group == group }.inOrder,
      images.flatMap(\.faults)
    )
  }
}

extension Image {
  /// The image's annotations, in the order of the section.
  ///
  /// - Throws: `AnnotationError`; `fault` for the first record that is none.
  /// - Complexity: O(images) while no image comes or goes; else O(annotations) in addition.
  public func annotations() throws(AnnotationError) -> [Annotation] {
    let found = try LoadedAnnotations.current().first { $0.image == self }
    if let fault = found?.faults.first { throw .fault(fault) }
    return found?.annotations ?? []
  }
}

extension Sequence<Annotation> {
  /// The annotations with a higher priority first, and otherwise in their present order.
  var inOrder: [Annotation] {
    // The standard library's sort is stable.
    sorted { $0.priority > $1.priority }
  }
}

extension Annotation: CustomStringConvertible {
  /// `services/mail in libmail.so at offset 48`.
  public var description: String {
    let source = line.map { ", line \($0)" } ?? ""
    return "\(group)/\(key) in \(image.name) at offset \(offset)\(source)"
  }
}
#endif
