internal import Rebind

/// The C type of an annotation's accessor: `rebind_accessor`.
private typealias Accessor =
  @convention(c) (_ request: UInt32, _ result: UnsafeMutableRawPointer) -> UInt8

func askType(_ annotation: Annotation) throws(AnnotationRegistryError) -> Any.Type? {
  try ask(annotation, .type, of: Any.Type.self)
}

func askInstance(_ annotation: Annotation) throws(AnnotationRegistryError) -> Any? {
  try ask(annotation, .instance, of: Any.self)
}

func askPointer(_ annotation: Annotation) throws(AnnotationRegistryError)
  -> UnsafeMutableRawPointer?
{
  try ask(annotation, .pointer, of: UnsafeMutableRawPointer.self)
}

/// Calls an annotation's accessor; nil if it has no such answer.
private func ask<Answer>(
  _ annotation: Annotation, _ request: AnnotationRegistryError.Request, of type: Answer.Type
) throws(AnnotationRegistryError) -> Answer? {
  guard annotation.hasAccessor else { return nil }
  // Looked up first, as the image may be another one by now: an image that is held is not.
  let hold: ImageHold
  do throws(RebindError) { hold = try ImageHold(annotation.image) } catch { throw .images(error) }
  defer { withExtendedLifetime(hold) {} }
  let linkTime = annotation.accessor &- annotation.image.loadBias
  guard annotation.image.segment(at: linkTime, allowing: .execute) != nil,
    let address = UInt(exactly: annotation.accessor)
  else {
    throw .fault(
      AnnotationFault(image: annotation.image, offset: annotation.offset, reason: .accessor))
  }
  // Code, as was just seen, and its type is what the record promises.
  let accessor = unsafeBitCast(address, to: Accessor.self)
  let memory = UnsafeMutableRawPointer.allocate(
    byteCount: MemoryLayout<Answer>.size, alignment: MemoryLayout<Answer>.alignment)
  defer { memory.deallocate() }
  memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Answer>.size)
  guard accessor(request.rawValue, memory) != 0 else { return nil }
  // A C function that ignores the request has not stored the last word of an `Any`, its type;
  // nor is NULL a type.
  let last = MemoryLayout<Answer>.size - MemoryLayout<UInt>.size
  guard memory.load(fromByteOffset: last, as: UInt.self) != 0 else { return nil }
  return memory.assumingMemoryBound(to: Answer.self).move()
}
