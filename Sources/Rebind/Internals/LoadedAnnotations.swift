#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import Synchronization

/// The annotations of one image.
package struct ImageAnnotations: Sendable {
  package let image: Image
  package var annotations: [Annotation] = []
  package var faults: [AnnotationFault] = []
}

/// The annotations of all loaded images at one time.
package struct LoadedAnnotations: Sendable {
  /// In the loader's order, those without any left out.
  package private(set) var images: [ImageAnnotations] = []
  /// The core's count of changes at that time; 0 if it changed all the while.
  private var generation: UInt64 = 0

  package init() {}

  /// True if no image has come or gone since.
  package var isCurrent: Bool { generation == crebind_annotations_generation() }

  /// Reads them anew, without a second look at images that are still there.
  package func next() throws(RebindError) -> Self {
    // Images may come and go all the time: then what was read last is right for a moment.
    var attemptsLeft = 16
    while true {
      let generation = crebind_annotations_generation()
      attemptsLeft -= 1
      guard let found = try readAnnotations(knowing: images) else {
        if attemptsLeft <= 0 { throw RebindError(code: .busy) }
        continue
      }
      let isSettled = crebind_annotations_generation() == generation
      if !isSettled, attemptsLeft > 0 { continue }
      var result = Self()
      result.images = found
      result.generation = isSettled ? generation : 0
      return result
    }
  }

  /// Forgets images that have gone.
  package mutating func remove(_ gone: Set<Image.ID>) {
    images.removeAll { gone.contains($0.image.id) }
  }

  private static let last = Mutex(Self())

  /// The annotations that are loaded now.
  static func current() throws(AnnotationError) -> [ImageAnnotations] {
    let known = last.withLock { $0 }
    if known.isCurrent { return known.images }
    let read: Self
    do throws(RebindError) { read = try known.next() } catch { throw .images(error) }
    // An older read must not replace a newer one.
    if read.isCurrent { last.withLock { $0 = read } }
    return read.images
  }
}

/// Reads all annotations.
///
/// - Parameter known: Images that need not be looked up.
/// - Returns: nil if an image has gone meanwhile.
private func readAnnotations(
  knowing known: [ImageAnnotations]
) throws(RebindError) -> [ImageAnnotations]? {
  let found = try collecting([], FoundAnnotation.init(_:)) { context, error in
    crebind_annotations(nil, { deliver($0, to: $1) }, context, error)
  }
  var images = Dictionary(known.map { ($0.image.id, $0.image) }) { first, _ in first }
  if found.contains(where: { images[$0.image] == nil }) {
    for image in try loadedImages() { images[image.id] = image }
  }
  var result: [ImageAnnotations] = []
  for found in found {
    guard let image = images[found.image] else { return nil }
    if result.last?.image != image { result.append(ImageAnnotations(image: image)) }
    let index = result.count - 1
    if let reason = found.fault {
      result[index].faults.append(
        AnnotationFault(image: image, offset: found.offset, reason: reason))
    } else {
      result[index].annotations.append(
        Annotation(
          group: found.group, key: found.key, value: found.value, priority: found.priority,
          line: found.line == 0 ? nil : found.line, image: image, offset: found.offset,
          accessor: found.accessor))
    }
  }
  return result
}

// MARK: - Values from C

/// A `crebind_annotation` that outlives the call.
private struct FoundAnnotation {
  var image: Image.ID
  var fault: AnnotationFault.Reason?
  var offset: Int
  var group, key, value: String
  var priority, line: Int
  var accessor: UInt64

  init(_ annotation: crebind_annotation) {
    let record = annotation.record
    image = Image.ID(
      loadBias: UInt64(UInt(bitPattern: annotation.image.slide)),
      dynamicTableAddress: UInt64(annotation.dynamic), generation: annotation.generation)
    fault =
      record.fault == CREBIND_RECORD_VALID
      ? nil : AnnotationFault.Reason(rawValue: record.fault.rawValue)
    offset = record.offset
    group = String(cString: record.group)
    key = String(cString: record.key)
    value = String(cString: record.value)
    priority = Int(record.priority)
    line = Int(record.line)
    accessor = record.accessor
  }
}

extension AnnotationFault.Reason {
  /// The core's sentence for the reason.
  var sentence: String {
    String(cString: crebind_record_fault_description(crebind_record_fault(rawValue: rawValue)))
  }
}
#endif
