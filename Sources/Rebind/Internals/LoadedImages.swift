#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

func loadedImages() throws(RebindError) -> [Image] {
  try collecting([], Image.init(_:)) { context, error in
    crebind_images({ deliver($0, to: $1) }, context, error)
  }
}

func loadedSymbols(of image: Image, named name: String?) throws(RebindError) -> [Symbol] {
  let header = UnsafeRawPointer(bitPattern: UInt(image.header))
  // C would read up to the zero byte, and find something else.
  guard let header, name?.utf8.contains(0) != true else { return [] }
  return try asking(image) { () throws(RebindError) in
    try collecting([], Symbol.init(_:)) { context, error in
      let visit:
        @convention(c) (UnsafePointer<crebind_symbol_info>, UnsafeMutableRawPointer?) ->
          Void = { deliver($0, to: $1) }
      guard let name else { return crebind_symbols(header, nil, visit, context, error) }
      return name.withCString { crebind_symbols(header, $0, visit, context, error) }
    }
  }
}

func loadedSlots(of image: Image) throws(RebindError) -> [Slot] {
  guard let header = UnsafeRawPointer(bitPattern: UInt(image.header)) else { return [] }
  let images = ImageTable()
  let convert = { Slot($0, of: image, images: images) }
  return try asking(image) { () throws(RebindError) in
    try collecting([], convert) { context, error in
      crebind_image_slots(header, true, { deliver($0, to: $1) }, context, error)
    }
  }
}

/// Asks the core for what is at the image's header, and throws `noSuchImage` if that may be of
/// another one, which has taken its place.
///
/// It looks for the image afterwards: an image that comes later has a later generation, so one that is there was
/// there all along. Only the same file, loaded at the same place again with no look between, may keep its generation.
func asking<Value>(
  _ image: Image, _ body: () throws(RebindError) -> [Value]
) throws(RebindError) -> [Value] {
  do throws(RebindError) {
    let values = try body()
    if try isLoaded(image) { return values }
  } catch {
    if try isLoaded(image) { throw error }
  }
  throw RebindError(code: .noSuchImage, image: image.path)
}

private func isLoaded(_ image: Image) throws(RebindError) -> Bool {
  let id = image.id
  let isIt = { (contents: crebind_image_contents) -> Bool in Image.ID(contents) == id }
  let found = try collecting([], isIt) { context, error in
    crebind_images({ deliver($0, to: $1) }, context, error)
  }
  return found.contains(true)
}

func describeAddress(_ address: UInt64) throws(RebindError) -> Target {
  let images = ImageTable()
  let convert = { Target($0, images: images) }
  let targets = try collecting([], convert) { context, error in
    crebind_describe_address(UInt(address), { deliver($0, to: $1) }, context, error)
  }
  return targets.first ?? Target(address: address)
}

/// 0 if nothing defines the name.
func originalAddress(of name: String) -> UInt64 {
  guard !name.utf8.contains(0) else { return 0 }
  return UInt64(UInt(bitPattern: crebind_lookup(name)))
}

func refreshImages() throws(RebindError) {
  LeftBatches.restore()
  try calling([]) { crebind_refresh($0) }
}

// MARK: - Values from C

/// An array in C's memory, copied.
private func values<Element, Value>(
  _ start: UnsafePointer<Element>?, _ count: Int, _ convert: (Element) -> Value
) -> [Value] {
  UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).map(convert)
}

extension Image.ID {
  init(_ contents: crebind_image_contents) {
    self.init(
      loadBias: UInt64(UInt(bitPattern: contents.info.slide)),
      dynamicTableAddress: UInt64(contents.dynamic), generation: contents.generation)
  }
}

extension Image {
  init(_ contents: crebind_image_contents) {
    var path = String(cString: contents.info.path)
    if path.isEmpty, contents.is_main { path = executablePath() }
    self.init(
      id: ID(contents),
      path: path,
      role: contents.is_main
        ? .program : contents.is_vdso ? .vdso : contents.is_loader ? .loader : .library,
      header: UInt64(UInt(bitPattern: contents.info.header)),
      type: ImageType(rawValue: contents.type), machine: Machine(rawValue: contents.machine),
      segments: values(contents.segments, contents.segment_count, Segment.init(_:)),
      dynamicTable: DynamicTable(
        entries: values(
          contents.dynamic_entries, contents.dynamic_entry_count, DynamicTable.Entry.init(_:))),
      buildID: contents.build_id.map {
        BuildID(bytes: values($0, contents.build_id_size) { $0 })
      },
      brokenTag: contents.broken_tag == .min ? nil : DynamicTag(rawValue: contents.broken_tag))
  }

  /// The little that a callback says of an image; all that is known of an image that has gone.
  fileprivate init(described info: crebind_image_info) {
    let soname = String(cString: info.soname)
    let entry = DynamicTable.Entry(tag: .soname, value: 0, string: soname)
    self.init(
      id: ID(
        loadBias: UInt64(UInt(bitPattern: info.slide)), dynamicTableAddress: 0, generation: 0),
      path: String(cString: info.path), role: .library,
      header: UInt64(UInt(bitPattern: info.header)), type: .none, machine: Machine(rawValue: 0),
      segments: [], dynamicTable: DynamicTable(entries: soname.isEmpty ? [] : [entry]))
  }
}

/// The program's path, or "".
private func executablePath() -> String {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
    guard let start = buffer.baseAddress else { return "" }
    let length = readlink("/proc/self/exe", start, buffer.count)
    return String(decoding: buffer.prefix(max(length, 0)), as: UTF8.self)
  }
}

extension Segment {
  init(_ segment: crebind_segment) {
    self.init(
      type: SegmentType(rawValue: segment.type),
      permissions: SegmentPermissions(rawValue: segment.flags), fileOffset: segment.offset,
      address: segment.address, fileSize: segment.file_size, memorySize: segment.memory_size,
      alignment: segment.alignment)
  }
}

extension DynamicTable.Entry {
  init(_ entry: crebind_dynamic_entry) {
    self.init(
      tag: DynamicTag(rawValue: entry.tag), value: entry.value,
      string: entry.string.map { String(cString: $0) })
  }
}

extension Symbol {
  init(_ info: crebind_symbol_info) {
    self.init(
      index: info.index, name: String(cString: info.name),
      version: info.version.map { String(cString: $0) },
      isDefaultVersion: info.is_default_version, type: SymbolType(rawValue: info.type),
      binding: SymbolBinding(rawValue: info.binding),
      visibility: SymbolVisibility(rawValue: info.visibility), value: info.value,
      size: info.size, sectionIndex: info.section)
  }
}

extension Slot {
  init(_ contents: crebind_slot_contents, of image: Image, images: ImageTable) {
    self.init(
      address: UInt64(contents.address) &- image.loadBias,
      kind: SlotKinds(rawValue: contents.kind.rawValue),
      relocation: RelocationType(machine: image.machine, rawValue: contents.relocation),
      symbol: String(cString: contents.symbol),
      version: contents.version.map { String(cString: $0) },
      addend: contents.has_addend ? Int64(contents.addend) : nil, isRelro: contents.is_relro,
      state: State(
        word: UInt64(contents.word),
        target: contents.target.address == 0 ? nil : Target(contents.target, images: images),
        isLazilyUnresolved: contents.is_unresolved,
        reboundBy: Rebinder(contents.rebinder)))
  }
}

extension Rebinder {
  init(_ rebinder: crebind_rebinder) {
    switch rebinder {
    case CREBIND_REBOUND_BY_US: self = .us
    case CREBIND_REBOUND_BY_SOMEONE_ELSE: self = .someoneElse
    default: self = .nobody
    }
  }
}

extension Target {
  init(_ target: crebind_target, images: ImageTable) {
    let symbol = String(cString: target.symbol)
    self.init(
      address: UInt64(target.address),
      image: target.image.header == nil ? nil : images.image(target.image),
      symbol: symbol.isEmpty ? nil : symbol, offset: UInt64(target.offset))
  }
}

// MARK: - Images by header

/// The images that the core's callbacks speak of, looked up once and kept.
final class ImageTable: Sendable {
  private let images = Mutex<[UInt64: Image]>([:])

  /// The image that a callback describes.
  func image(_ info: crebind_image_info) -> Image {
    let described = Image(described: info)
    return images.withLock { images in
      func known() -> Image? {
        guard let image = images[described.header], image.loadBias == described.loadBias,
          image.soname == described.soname
        else { return nil }
        return image
      }
      if let image = known() { return image }
      for image in (try? loadedImages()) ?? [] { images[image.header] = image }
      if let image = known() { return image }
      images[described.header] = described
      return described
    }
  }

  /// Forgets the image at a header, which another one may take the place of.
  func remove(_ header: UInt64) {
    images.withLock { $0[header] = nil }
  }
}
#endif
