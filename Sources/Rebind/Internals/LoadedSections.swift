#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind

func loadedSections(of image: Image) throws(SectionError) -> [Section] {
  try sections(of: image, named: "") { header, context, error in
    crebind_sections(header, { deliver($0, to: $1) }, context, error)
  }
}

func loadedSectionData(
  of image: Image, named name: String
) throws(SectionError) -> SectionData {
  // C would read up to the zero byte, and find something else.
  guard !name.isEmpty, !name.utf8.contains(0) else {
    throw SectionError(code: .invalidArgument, image: image.path, section: name)
  }
  // Held first: what is found is of the image that was asked for.
  let hold: ImageHold
  do throws(RebindError) { hold = try ImageHold(image) } catch {
    throw SectionError(error, image: image, section: name)
  }
  let found = try sections(of: image, named: name) { header, context, error in
    name.withCString {
      crebind_section_data(header, $0, { deliver($0, to: $1) }, context, error)
    }
  }
  func failure(_ code: SectionError.Code) -> SectionError {
    SectionError(code: code, image: image.path, section: name)
  }
  guard let section = found.first else { throw failure(.noSection) }
  // The zeros of thread-local variables are in no segment that is loaded.
  guard !section.flags.contains(.threadLocal) || section.type != .noBits else {
    throw failure(.notLoaded)
  }
  let isReadable =
    section.size == 0
    || image.segment(at: section.address, allowing: .read).map {
      section.size <= $0.memorySize - (section.address - $0.address)
    } == true
  guard isReadable else { throw failure(.notReadable) }
  let address = section.address &+ image.loadBias
  return SectionData(
    section: section, image: image, address: address,
    bytes: LoadedBytes(
      buffer: UnsafeRawBufferPointer(
        start: UnsafeRawPointer(bitPattern: UInt(address)), count: Int(section.size)),
      hold: hold))
}

private func sections(
  of image: Image, named name: String,
  _ body: (UnsafeRawPointer, UnsafeMutableRawPointer, UnsafeMutablePointer<crebind_error>) ->
    crebind_status
) throws(SectionError) -> [Section] {
  do throws(RebindError) {
    guard let header = UnsafeRawPointer(bitPattern: UInt(image.header)) else {
      throw RebindError(code: .noSuchImage)
    }
    return try asking(image) { () throws(RebindError) in
      try collecting([], { Section($0, of: image) }) { body(header, $0, $1) }
    }
  } catch {
    throw SectionError(error, image: image, section: name)
  }
}

/// The bytes of a section of a loaded image.
struct LoadedBytes: Sendable {
  // Safe, as it is memory of an image that stays loaded.
  nonisolated(unsafe) let buffer: UnsafeRawBufferPointer
  let hold: ImageHold
}

/// A loaded image's segments, which somebody else holds.
package struct LoadedMemory: SectionMemory {
  private let image: Image

  package init(image: Image) { self.image = image }

  package var is64Bit: Bool { MemoryLayout<UInt>.size == 8 }
  package var isByteSwapped: Bool { false }

  package func pointer(_ word: UInt64, at address: UInt64) -> UInt64? { word }

  package func withBytes<Result>(
    from address: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    let linkTime = address &- image.loadBias
    guard let segment = image.segment(at: linkTime, allowing: .read),
      let start = UnsafeRawPointer(bitPattern: UInt(address))
    else { return nil }
    let count = segment.memorySize - (linkTime - segment.address)
    return body(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }
}

// MARK: - Values from C

extension Section {
  init(_ section: crebind_section, of image: Image) {
    let provenance: Provenance =
      switch section.source {
      case CREBIND_SECTION_FROM_NOTE: .note
      case CREBIND_SECTION_FROM_MEMORY: .memory
      default: .file(image.path)
      }
    self.init(
      name: String(cString: section.name),
      address: section.address == 0 ? 0 : UInt64(section.address) &- image.loadBias,
      size: UInt64(section.size), type: SectionType(rawValue: section.type),
      flags: SectionFlags(rawValue: section.flags), alignment: section.alignment,
      entrySize: section.entry_size, provenance: provenance)
  }
}

extension SectionError {
  init(_ error: RebindError, image: Image, section: String) {
    self.init(
      code: Code(rawValue: error.code.rawValue),
      image: error.image.isEmpty ? image.path : error.image, section: section,
      systemError: error.systemError)
  }

  /// The core's sentence for the code.
  var reason: String { RebindError(code: RebindError.Code(rawValue: code.rawValue)).reason }

  /// The C library's text for `systemError`.
  var systemErrorText: String {
    RebindError(code: .noSuchImage, systemError: systemError).systemErrorText
  }
}
#endif
