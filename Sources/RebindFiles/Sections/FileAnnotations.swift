public import Rebind

/// The contents of a file's section of annotations.
public struct FileAnnotations: Sendable {
  /// In the order of the section.
  public var annotations: [FileAnnotation] = []
  /// The parts of the section that are no record.
  public var faults: [FileAnnotationFault] = []
  /// The source that says where the section is; nil without such a section.
  public var provenance: Section.Provenance?

  /// Nothing yet.
  package init() {}

  /// The section that annotations are in.
  package static let sectionName = "rebind_annotations"
}
