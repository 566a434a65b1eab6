/// What an annotation's accessor is: `rebind_accessor`.
private typealias Accessor =
  @convention(c) (_ request: UInt32, _ result: UnsafeMutableRawPointer) -> UInt8

func askType(_ annotation: Annotation) throws(AnnotationError) -> Any.Type? {
  try ask(annotation, .type, of: Any.Type.self)
}

func askInstance(_ annotation: Annotation) throws(AnnotationError) -> Any? {
  try ask(annotation, .instance, of: Any.self)
}

func askPointer(_ annotation: Annotation) throws(AnnotationError) -> UnsafeMutableRawPointer? {
  try ask(annotation, .pointer, of: UnsafeMutableRawPointer.self)
}

/// Calls an annotation's accessor; nil if it has no such answer.
private func ask<Answer>(
  _ annotation: Annotation, _ request: AnnotationError.Request, of type: Answer.Type
) throws(AnnotationError) -> Answer? {
  guard annotation.hasAccessor else { return nil }
  // Looked up first, as the image may be another one by now: an image that is held is not.
  let hold: ImageHold
  do throws(RebindError) { hold = try ImageHold(annotation.image) } catch { throw .images(error) }
  defer { withExtendedLifetime(hold) {} }
  guard annotation.image.isExecutable(at: annotation.accessor) else {
    throw .fault(
      AnnotationFault(
        image: annotation.image, section: "rebind_annotations", offset: annotation.offset,
        reason: .accessor))
  }
  let accessor = unsafeBitCast(UInt(annotation.accessor), to: Accessor.self)
  let memory = UnsafeMutableRawPointer.allocate(
    byteCount: MemoryLayout<Answer>.size, alignment: MemoryLayout<Answer>.alignment)
  defer { memory.deallocate() }
  memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Answer>.size)
  guard accessor(request.rawValue, memory) & 1 != 0 else { return nil }
  // A C function that ignores the request has not stored the last word of an `Any`, its type;
  // nor is NULL a type.
  let last = MemoryLayout<Answer>.size - MemoryLayout<UInt>.size
  guard memory.load(fromByteOffset: last, as: UInt.self) != 0 else { return nil }
  return memory.assumingMemoryBound(to: Answer.self).move()
}

extension Image {
  /// True if the run-time address lies in a segment that is loaded and executable.
  fileprivate func isExecutable(at address: UInt64) -> Bool {
    segments.contains {
      $0.type == .load && $0.permissions.contains(.execute) && $0.contains(address &- loadBias)
    }
  }
}
