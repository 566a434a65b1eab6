import Glibc
package import RebindFiles

/// The images of a process, found by its mappings.
package struct ProcessImages {
  /// In the order of their addresses.
  package let images: [ProcessImage]
  /// The image that the kernel puts there, or nil.
  let vdso: ProcessImage?
  let mappings: [ProcessMapping]
  let memory: ProcessMemory

  /// Looks at a process's mappings, up to ten times if they have no image: `exec` replaces them.
  ///
  /// - Throws: `ELFFileError` if it may not be looked at, is not there, or never has an image.
  package init(pid: Int32) throws(ELFFileError) {
    // An image's file tells whether the image is its own.
    try ELFFileError.checkLibelf(for: FilePath("/proc/\(pid)"))
    var (found, attempt) = (try Self(lookingAt: pid), 1)
    while found.images.isEmpty {
      guard attempt < 10 else {
        throw ELFFileError(
          path: FilePath("/proc/\(pid)"), reason: .unsupported("has no image of a file in memory"),
          field: "the process")
      }
      usleep(UInt32(attempt) * 1000)
      (found, attempt) = (try Self(lookingAt: pid), attempt + 1)
    }
    self = found
  }

  private init(lookingAt pid: Int32) throws(ELFFileError) {
    let mappings = try Self.mappings(of: pid)
    let memory = try ProcessMemory(pid: pid)
    var images: [ProcessImage] = []
    var end: UInt64 = 0
    for mapping in mappings where mapping.offset == 0 && mapping.isOfFile {
      // Where a file is small, all its segments are mapped from its first page. An image's own
      // statement of its size hides no other file.
      guard mapping.start >= end || mapping.identity != images.last?.mapping.identity,
        let image = ProcessImage(pid: pid, mapping, memory, among: mappings)
      else { continue }
      images.append(image)
      end = image.end
    }
    self.images = images
    vdso = mappings.first { $0.path.elementsEqual("[vdso]".utf8) }
      .flatMap { ProcessImage(pid: pid, $0, memory, among: mappings) }
    self.mappings = mappings
    self.memory = memory
  }

  private static func mappings(of pid: Int32) throws(ELFFileError) -> [ProcessMapping] {
    try ProcessFolder.lines(of: "maps", pid: pid).compactMap { ProcessMapping($0) }
  }
}
