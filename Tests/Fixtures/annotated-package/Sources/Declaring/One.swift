import RebindAnnotations

// package, one, and an empty value.
@section("rebind_annotations") @used
private let one: AnnotationRecord<16> = (
  magic: 0x3141_4252, size: 40, priority: 2, line: 5, accessor: 0,
  strings: [
    0x70, 0x61, 0x63, 0x6b, 0x61, 0x67, 0x65, 0,
    0x6f, 0x6e, 0x65, 0,
    0, 0, 0, 0,
  ]
)
