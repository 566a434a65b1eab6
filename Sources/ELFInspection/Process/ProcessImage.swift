import CLibelf
import Glibc
package import Rebind
package import RebindFiles

/// An image in the memory of another process.
///
/// Its headers are read there. Parts that are not loaded, the section headers, are read from its
/// file, once that is proven to be the image's.
package struct ProcessImage {
  /// The kernel's path: ` (deleted)` is behind that of a file that is gone.
  package let path: FilePath
  package let elfClass: ELFClass
  package let byteOrder: ByteOrder
  package let machine: Machine
  package let type: ImageType
  /// Its run-time addresses minus its link-time ones.
  package let loadBias: UInt64
  /// With their link-time addresses.
  package let segments: [Segment]
  /// `p_paddr` of each segment.
  let physicalAddresses: [UInt64]
  let memory: ProcessMemory
  /// The mapping of the image's first page.
  let mapping: ProcessMapping
  private let pid: Int32

  /// The run-time address of the image's first page.
  package var start: UInt64 { mapping.start }
  /// Behind its last segment.
  package var end: UInt64 {
    segments.filter { $0.type == .load }.reduce(mapping.end) {
      max($0, elfClass.wrapped($1.address &+ $1.memorySize &+ loadBias))
    }
  }

  /// Nil if the mapping is of no image of this machine, or of a file that is not loaded: then
  /// its segments are not mapped where they belong.
  init?(
    pid: Int32, _ mapping: ProcessMapping, _ memory: ProcessMemory,
    among mappings: [ProcessMapping]
  ) {
    let host: ELFClass = MemoryLayout<UInt>.size == 8 ? .bits64 : .bits32
    guard let bytes = memory.read(mapping.start, UInt64(MemoryLayout<Elf64_Ehdr>.size)),
      bytes.starts(with: ELFMAG.utf8), let elfClass = ELFClass(rawValue: bytes[Int(EI_CLASS)]),
      bytes[Int(EI_DATA)] == ByteOrder.host.rawValue, elfClass == host || elfClass == .bits32
    else { return nil }
    let header = bytes.withUnsafeBytes { bytes in
      elfClass == .bits64
        ? Header(bytes.loadUnaligned(as: Elf64_Ehdr.self))
        : Header(bytes.loadUnaligned(as: Elf32_Ehdr.self))
    }
    let is64 = elfClass == .bits64
    let entrySize = is64 ? MemoryLayout<Elf64_Phdr>.size : MemoryLayout<Elf32_Phdr>.size
    guard header.entrySize == entrySize, header.type == 2 || header.type == 3,
      header.offset <= mapping.end - mapping.start,
      let headers = memory.read(
        mapping.start + header.offset, UInt64(header.count) * UInt64(entrySize))
    else { return nil }
    let segments = headers.withUnsafeBytes { bytes in
      (0..<Int(header.count)).map { index in
        is64
          ? Segment(bytes.loadUnaligned(fromByteOffset: index * entrySize, as: Elf64_Phdr.self))
          : Segment(bytes.loadUnaligned(fromByteOffset: index * entrySize, as: Elf32_Phdr.self))
      }
    }
    guard
      let first = segments.first(where: {
        $0.type == .load && $0.fileOffset < mapping.end - mapping.start
      })
    else { return nil }
    let bias = elfClass.wrapped(mapping.start &- (first.address &- first.fileOffset))
    guard header.type == 3 || bias == 0,
      segments.allSatisfy({ segment in
        segment.type != .load || segment.fileSize == 0
          || mappings.contains {
            $0.identity == mapping.identity
              && $0.holds(elfClass.wrapped(segment.address &+ bias), of: segment.fileOffset)
          }
      })
    else { return nil }
    path = FilePath(mapping.path)
    self.elfClass = elfClass
    byteOrder = .host
    machine = Machine(rawValue: header.machine)
    type = ImageType(rawValue: header.type)
    loadBias = bias
    self.pid = pid
    self.mapping = mapping
    self.memory = memory
    self.segments = segments
    physicalAddresses = headers.withUnsafeBytes { bytes in
      segments.indices.map { index in
        is64
          ? bytes.loadUnaligned(fromByteOffset: index * entrySize, as: Elf64_Phdr.self).p_paddr
          : UInt64(
            bytes.loadUnaligned(fromByteOffset: index * entrySize, as: Elf32_Phdr.self).p_paddr)
      }
    }
  }

  /// The needed fields of an ELF header.
  private struct Header {
    let type: UInt16
    let machine: UInt16
    let offset: UInt64
    let entrySize: Int
    let count: UInt16

    init(_ header: Elf64_Ehdr) {
      (type, machine, offset) = (header.e_type, header.e_machine, header.e_phoff)
      (entrySize, count) = (Int(header.e_phentsize), header.e_phnum)
    }

    init(_ header: Elf32_Ehdr) {
      (type, machine, offset) = (header.e_type, header.e_machine, UInt64(header.e_phoff))
      (entrySize, count) = (Int(header.e_phentsize), header.e_phnum)
    }
  }
}

extension ProcessImage {
  /// The annotations of the image. Their section is found by the image's notes, or else by its
  /// file, and is read from memory. The result is empty if neither names such a section.
  ///
  /// Throws if the image is gone meanwhile.
  package func annotations(group: String?) throws(ELFFileError) -> FileAnnotations {
    var found = FileAnnotations()
    guard let (address, size, provenance) = try section(named: FileAnnotations.sectionName)
    else { return found }
    found.provenance = provenance
    guard size <= ELFReader.largestTable else {
      throw ELFFileError(
        path: path, reason: .tooLarge(size: size),
        field: "section \(FileAnnotations.sectionName)")
    }
    guard let bytes = memory.read(elfClass.wrapped(address &+ loadBias), size) else {
      throw vanished
    }
    AnnotationRecords.read(bytes, elfClass, byteOrder, group: group, into: &found) { word, _ in
      if word == 0 { return .none }
      let target = elfClass.wrapped(word &- loadBias)
      return segments.contains {
        $0.type == .load && $0.permissions.contains(.execute) && $0.contains(target)
      } ? .address(target) : .outside
    }
    return found
  }

  private func section(
    named name: String
  ) throws(ELFFileError) -> (address: UInt64, size: UInt64, Section.Provenance)? {
    for segment in segments where segment.type == .note && segment.memorySize > 0 {
      guard
        let bytes = memory.read(elfClass.wrapped(segment.address &+ loadBias), segment.memorySize)
      else { throw vanished }
      var notes: [IndexedSection] = []
      var fault: NoteFault?
      bytes.withUnsafeBytes { bytes in
        do throws(NoteFault) {
          try IndexNotes.read(bytes, segment, elfClass, byteOrder, into: &notes)
        } catch {
          fault = error
        }
      }
      if let fault {
        throw ELFFileError(path: path, reason: .malformed(fault.how), field: "PT_NOTE in memory")
      }
      if let note = notes.first(where: { $0.name == name }) {
        return (note.address, note.size, .note)
      }
    }
    // A file that cannot be read, or is another one now, tells nothing of the image.
    guard let file = provenFile,
      let section = try? file.sections().first(where: { $0.name == name }),
      section.flags.contains(.allocated), section.type != .noBits
    else { return nil }
    return (section.address, section.size, .file(path.text))
  }

  private var vanished: ELFFileError {
    ELFFileError(path: path, reason: .vanished)
  }

  /// The image's file, if it has the same program headers and the same first bytes of notes, which
  /// the build ID is among.
  package var provenFile: ELFFile? {
    let range = String(mapping.start, radix: 16) + "-" + String(mapping.end, radix: 16)
    let candidates =
      [FilePath("/proc/\(pid)/map_files/\(range)")] + mapping.places(of: pid)
      + [FilePath("/proc/\(pid)/exe")]
    for candidate in candidates {
      if let file = try? ELFFile(candidate), isImage(of: file) == true { return file }
    }
    return nil
  }

  /// True if a file is proven to be the image's; nil if the image's memory cannot be read: it may be
  /// unloaded by now.
  func isImage(of file: ELFFile) -> Bool? {
    guard file.elfClass == elfClass && file.segments == segments else { return false }
    for segment in segments where segment.type == .note && segment.fileSize > 0 {
      guard
        let loaded = memory.read(elfClass.wrapped(segment.address &+ loadBias), segment.fileSize)
      else { return nil }
      guard
        let stored = try? file.reader.data(
          at: segment.fileOffset, size: segment.fileSize, as: .bytes, field: "PT_NOTE"),
        stored.bytes.elementsEqual(loaded)
      else { return false }
    }
    return true
  }
}
