import Rebind

extension ELFFile {
  /// The path of the loader that the kernel starts; nil if it starts the program itself, or if
  /// the file is a library. The corresponding segment is `PT_INTERP`.
  ///
  /// - Throws: `ELFFileError` if the path has no end in its segment.
  public var interpreter: String? {
    get throws(ELFFileError) {
      guard !isDebugFile, let segment = segments.first(where: { $0.type == .interpreter }),
        segment.fileSize > 0
      else { return nil }
      let data = try reader.data(
        at: segment.fileOffset, size: segment.fileSize, as: .bytes, field: "PT_INTERP")
      guard data.bytes.last == 0 else {
        throw data.error(.malformed("has no zero byte at its end"), field: "PT_INTERP")
      }
      return String(decoding: data.bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
