#if os(Linux) && !REBIND_ELSEWHERE
/// A loaded executable or shared object, as it was when it was looked at.
///
/// A value: it stays as it is when the image is closed, and copying it is cheap.
/// Two are equal if they are of one loading of one image.
///
/// ```swift
/// for image in try Image.all { print(image, image.needed) }
/// ```
public struct Image: Sendable {
  /// Identifies an image, also against one that has been loaded in its place since. A path does
  /// not: a program's may be empty, and a file can be loaded twice.
  package struct ID: Sendable, Hashable {
    /// The load bias: `dlpi_addr`.
    package var loadBias: UInt64
    /// The run-time address of the dynamic table; 0 in a static executable.
    package var dynamicTableAddress: UInt64
    /// The loader's count of loaded images, `dlpi_adds`, when Rebind first saw this one.
    package var generation: UInt64
  }

  /// The role of an image in its process.
  public enum Role: String, Sendable, Hashable {
    /// The program that was started: the loader lists it first.
    case program
    /// A shared object, needed by another image or opened by dlopen.
    case library
    /// The program's interpreter, where it is not the C library as well: a
    /// rebinding leaves it alone.
    case loader
    /// The kernel's code for a few system calls: a rebinding leaves it alone.
    case vdso
  }

  /// All that is known of an image: shared by its copies.
  private final class Contents: Sendable {
    let id: ID
    let path: String
    let role: Role
    let header: UInt64
    let type: ImageType
    let machine: Machine
    let segments: [Segment]
    let dynamicTable: DynamicTable
    let buildID: BuildID?
    let brokenTag: DynamicTag?

    init(
      id: ID, path: String, role: Role, header: UInt64, type: ImageType, machine: Machine,
      segments: [Segment], dynamicTable: DynamicTable, buildID: BuildID?, brokenTag: DynamicTag?
    ) {
      self.id = id
      self.path = path
      self.role = role
      self.header = header
      self.type = type
      self.machine = machine
      self.segments = segments
      self.dynamicTable = dynamicTable
      self.buildID = buildID
      self.brokenTag = brokenTag
    }
  }

  private let contents: Contents

  init(
    id: ID, path: String, role: Role, header: UInt64, type: ImageType, machine: Machine,
    segments: [Segment], dynamicTable: DynamicTable, buildID: BuildID? = nil,
    brokenTag: DynamicTag? = nil
  ) {
    contents = Contents(
      id: id, path: path, role: role, header: header, type: type, machine: machine,
      segments: segments, dynamicTable: dynamicTable, buildID: buildID, brokenTag: brokenTag)
  }

  /// Where the image is loaded, and which loading of it this is.
  package var id: ID { contents.id }

  /// The path as the loader gives it, `dlpi_name`: perhaps relative, and for the vDSO
  /// no file's. glibc gives no path for the program, so `/proc/self/exe` supplies it.
  public var path: String { contents.path }

  /// The role of the image in its process.
  public var role: Role { contents.role }

  /// The run-time address of the ELF header.
  public var header: UInt64 { contents.header }

  /// The run-time address minus the link-time address, wrapping; 0 for a program
  /// that is not position-independent. The corresponding field is `dlpi_addr`.
  public var loadBias: UInt64 { id.loadBias }

  /// The kind of ELF file that the image is: `e_type`.
  public var type: ImageType { contents.type }
  /// The processor that the image is for: `e_machine`.
  public var machine: Machine { contents.machine }

  /// The program headers, in their order.
  public var segments: [Segment] { contents.segments }

  /// Empty in a static executable.
  public var dynamicTable: DynamicTable { contents.dynamicTable }

  /// nil if the image has no such note.
  public var buildID: BuildID? { contents.buildID }

  /// The tag that points outside of the segments: such an image has neither symbols
  /// nor slots for us. nil for all others.
  public var brokenTag: DynamicTag? { contents.brokenTag }
}

extension Image {
  /// True if the image has relocations that are packed for Android. Neither glibc's nor musl's loader
  /// applies them: words that they would fill are as the file has them, and ``slots()`` leaves them out.
  ///
  /// The corresponding constants are `DT_ANDROID_REL` and `DT_ANDROID_RELA`.
  public var hasPackedRelocations: Bool {
    dynamicTable[.androidRelocations] != nil || dynamicTable[.androidAddendRelocations] != nil
  }

  /// The name that other images need this one by; nil without `DT_SONAME`.
  public var soname: String? { dynamicTable.soname }

  /// The file's name, or else the soname.
  public var name: String {
    let file = path.split(separator: "/").last.map(String.init) ?? ""
    return file.isEmpty ? soname ?? "" : file
  }

  /// The libraries that the image needs, by soname, from `DT_NEEDED`.
  public var needed: [String] { dynamicTable.needed }

  /// The image's protections against attacks, as far as its headers say.
  package var hardening: Hardening {
    var hardening = Hardening(type: type, segments: segments, dynamicTable: dynamicTable)
    // The kernel maps it, and asks none of its headers about the stack.
    if role == .vdso { hardening.hasNonExecutableStack = true }
    return hardening
  }

  /// True if one of the image's `PT_LOAD` segments holds the run-time address.
  public func contains(_ address: some UnsignedInteger & FixedWidthInteger) -> Bool {
    let linkTime = UInt64(truncatingIfNeeded: address) &- loadBias
    return segments.contains { $0.type == .load && $0.contains(linkTime) }
  }

  /// True if this is the image's soname, path or file name.
  public func isNamed(_ name: String) -> Bool {
    path == name || soname == name || self.name == name
  }
}

extension Image: Hashable {
  /// True if both are of one loading of one image.
  public static func == (left: Self, right: Self) -> Bool { left.id == right.id }
  /// Hashes what `==` compares: the `id`.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Image: CustomStringConvertible {
  /// The name and the address of the ELF header: `libc.so.6 at 0x7f…`.
  public var description: String { "\(name) at \(hexadecimal(header))" }
}
#endif
