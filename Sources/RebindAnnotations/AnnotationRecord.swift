/// An annotation as it lies in the section `rebind_annotations`, with no accessor: `accessor` is 0.
///
/// `size` is 24 more than `count`, and a multiple of 8. <doc:WriteRecords> has an example.
///
/// The corresponding C structure is what `REBIND_ANNOTATE_VALUE` defines.
public typealias AnnotationRecord<let count: Int> = (
  magic: UInt32, size: UInt32, priority: Int32, line: UInt32, accessor: Int,
  strings: InlineArray<count, UInt8>
)

/// An annotation as it lies in the section `rebind_annotations`, with an accessor.
///
/// The corresponding C structure is what `REBIND_ANNOTATE_ACCESSOR` defines.
public typealias AnnotationRecordWithAccessor<let count: Int> = (
  magic: UInt32, size: UInt32, priority: Int32, line: UInt32, accessor: AnnotationAccessor,
  strings: InlineArray<count, UInt8>
)
