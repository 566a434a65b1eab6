internal import CRebind

/// The annotations of one image.
struct ImageAnnotations: Sendable {
  let image: Image
  var annotations: [Annotation] = []
  var faults: [AnnotationFault] = []
}

/// The annotations of the loaded images at one time, told by its identity.
final class LoadedAnnotations: Sendable {
  /// In the loader's order, those without any left out.
  let images: [ImageAnnotations]
  /// The images that are there but do not count: see `AnnotationStore`.
  let hidden: Set<Image.ID>

  init(_ images: [ImageAnnotations], hidden: Set<Image.ID>) {
    self.images = images
    self.hidden = hidden
  }
}

/// The annotations that are loaded now, without those of plug-ins that were unloaded.
func loadedAnnotations() throws(AnnotationError) -> LoadedAnnotations {
  do throws(RebindError) { return try AnnotationStore.shared.current() } catch {
    throw .images(error)
  }
}

/// Reads all annotations.
///
/// - Parameter known: Images that need not be looked up.
/// - Returns: nil if an image has gone meanwhile.
func readAnnotations(
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

func annotationsGeneration() -> UInt64 { crebind_annotations_generation() }

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

// MARK: - Telling of load and unload

/// Has the core call the store for images that announce themselves.
func listenForAnnotations(_ store: AnnotationStore) {
  // Kept for ever, as is the store.
  crebind_listen_for_annotations(
    { header, isLoaded, context in
      guard let context else { return }
      let store = Unmanaged<AnnotationStore>.fromOpaque(context).takeUnretainedValue()
      let address = UInt64(UInt(bitPattern: header))
      if isLoaded { store.imageHasCome() } else { store.imageIsGoing(header: address) }
    }, Unmanaged.passRetained(store).toOpaque())
}
