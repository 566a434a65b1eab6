import RebindAnnotations

/// Its record is a part of it.
enum Two: AnnotationCreatable {
  case made

  init() { self = .made }

  // package, two, and the value 2.
  @section("rebind_annotations") @used
  private static let record: AnnotationRecordWithAccessor<16> = (
    magic: 0x3141_4252, size: 40, priority: 3, line: 11,
    accessor: { request, result in
      AnnotationRequest(rawValue: request).answer(with: Two.self, at: result)
    },
    strings: [
      0x70, 0x61, 0x63, 0x6b, 0x61, 0x67, 0x65, 0,
      0x74, 0x77, 0x6f, 0,
      0x32, 0, 0, 0,
    ]
  )
}
