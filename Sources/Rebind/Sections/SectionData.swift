#if os(Linux) && !REBIND_ELSEWHERE
/// A section of an image, and its contents.
///
/// The image stays loaded as long as this value exists. An image with Swift code stays loaded for
/// good (see `Plugin`). The contents of a writable section may change at any time.
///
/// ```swift
/// let names = try Image.main.sectionData(named: "module_names")
/// for name in try names.pointedStrings() { print(name.offset, name) }
/// ```
///
/// macOS has `getsectiondata` for this.
public struct SectionData: Sendable {
  /// Where the bytes are.
  private enum Storage: Sendable {
    /// In the loaded image, which is held.
    case loaded(LoadedBytes)
    /// Read from a file.
    case copied([UInt8])
  }

  /// The section that the data is from.
  public let section: Section
  /// The loaded image that the section is of; nil if the file is not loaded.
  public let image: Image?
  /// The path of the image or file.
  public let path: String
  /// The run-time address of the first byte; in a file that is not loaded the link-time
  /// address.
  public let address: UInt64

  private let storage: Storage
  let memory: any SectionMemory

  init(section: Section, image: Image, address: UInt64, bytes: LoadedBytes) {
    self.section = section
    self.image = image
    path = image.path
    self.address = address
    storage = .loaded(bytes)
    memory = LoadedMemory(image: image)
  }

  /// A section of a file that is not loaded.
  ///
  /// - Parameters:
  ///   - bytes: The contents, decompressed, as they are in the file.
  ///   - memory: The memory that pointers in it lead to.
  package init(section: Section, path: String, bytes: [UInt8], memory: any SectionMemory) {
    self.section = section
    image = nil
    self.path = path
    address = section.address
    storage = .copied(bytes)
    self.memory = memory
  }
}

extension SectionData {
  /// The number of bytes.
  public var count: Int {
    switch storage {
    case .loaded(let bytes): bytes.buffer.count
    case .copied(let bytes): bytes.count
    }
  }

  /// Calls `body` with the contents, which cannot escape from it.
  ///
  /// A closure, as a property cannot return a span without the compiler's experimental
  /// features yet.
  ///
  /// - Complexity: O(1).
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch storage {
    case .loaded(let bytes):
      defer { withExtendedLifetime(bytes) {} }
      return try body(bytes.buffer.bytes)
    case .copied(let bytes): return try body(bytes.span.bytes)
    }
  }

  /// The contents, copied.
  ///
  /// - Complexity: O(count).
  public var bytes: [UInt8] {
    withBytes { span in span.withUnsafeBytes { Array($0) } }
  }

  func error(_ code: SectionError.Code, at offset: Int? = nil, value: UInt64? = nil)
    -> SectionError
  {
    SectionError(code: code, image: path, section: section.name, offset: offset, value: value)
  }
}

extension SectionData: CustomStringConvertible {
  /// `names in libfoo.so: 16 bytes at 0x7f…, known from a note`.
  public var description: String {
    let name = path.split(separator: "/").last ?? "the program"
    return "\(section.name) in \(name): \(count) bytes at \(hexadecimal(address)), known from "
      + "\(section.provenance)"
  }
}
#endif
