public import Rebind

/// What the section of annotations of a file holds.
public struct FileAnnotations: Sendable {
  /// In the order of the section.
  public var annotations: [FileAnnotation] = []
  /// What there is in the section that is no record.
  public var faults: [FileAnnotationFault] = []
  /// How it is known where the section is; nil if there is no such section.
  public var provenance: Section.Provenance?

  /// Nothing yet.
  package init() {}

  /// The section that annotations are in.
  package static let sectionName = "rebind_annotations"
}
