internal import Glibc

extension ELFFileError {
  /// A kind of failure. Later versions may add some.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `notELF`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No file has this path, or no process this number.
    public static let notFound = Code(rawValue: "notFound")
    /// The file may not be read.
    public static let permissionDenied = Code(rawValue: "permissionDenied")
    /// Another system call failed.
    public static let system = Code(rawValue: "system")
    /// A directory, FIFO, device or socket.
    public static let notRegularFile = Code(rawValue: "notRegularFile")
    /// The file has no bytes.
    public static let empty = Code(rawValue: "empty")
    /// The file does not start as an ELF file does.
    public static let notELF = Code(rawValue: "notELF")
    /// The file states a range that goes beyond the file's end.
    public static let truncated = Code(rawValue: "truncated")
    /// The file states a table of more than 256 MiB.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// A table does not fit into memory.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// The file violates the format, or contradicts itself.
    public static let malformed = Code(rawValue: "malformed")
    /// The file has no such section.
    public static let noSection = Code(rawValue: "noSection")
    /// The file has no section headers, and no note that describes the section.
    public static let noSectionHeaders = Code(rawValue: "noSectionHeaders")
    /// The archive has no such member.
    public static let noMember = Code(rawValue: "noMember")
    /// The image is no longer in the process's memory.
    public static let vanished = Code(rawValue: "vanished")
    /// The process has ended, and its memory is gone.
    public static let ended = Code(rawValue: "ended")
    /// The process is a part of the kernel.
    public static let kernelThread = Code(rawValue: "kernelThread")
    /// The file is none of the process's images.
    public static let notLoaded = Code(rawValue: "notLoaded")
    /// The file is valid, but uses something that cannot be read here.
    public static let unsupported = Code(rawValue: "unsupported")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public var code: Code {
    switch reason {
    case .system(ENOENT), .system(ENOTDIR), .system(ESRCH): .notFound
    case .system(EACCES), .system(EPERM): .permissionDenied
    case .system: .system
    case .notRegularFile: .notRegularFile
    case .empty: .empty
    case .notELF: .notELF
    case .truncated: .truncated
    case .tooLarge: .tooLarge
    case .outOfMemory: .outOfMemory
    case .malformed: .malformed
    case .noSection: .noSection
    case .noSectionHeaders: .noSectionHeaders
    case .noMember: .noMember
    case .vanished: .vanished
    case .ended: .ended
    case .kernelThread: .kernelThread
    case .notLoaded: .notLoaded
    case .unsupported: .unsupported
    }
  }
}
