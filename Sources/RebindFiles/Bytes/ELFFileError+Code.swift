internal import Glibc

extension ELFFileError.Code: CustomStringConvertible {
  /// The word itself, such as `not-elf`.
  public var description: String { rawValue }
}

extension ELFFileError {
  /// The kind of failure, for programs: a word that stays the same from release to release.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The word, such as `not-elf`.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No file has this path, or no process this number.
    public static let notFound = Self(rawValue: "not-found")
    /// The file may not be read.
    public static let permissionDenied = Self(rawValue: "permission-denied")
    /// Another system call failed.
    public static let system = Self(rawValue: "system")
    /// A directory, FIFO, device or socket.
    public static let notRegularFile = Self(rawValue: "not-regular-file")
    /// The file has no bytes.
    public static let empty = Self(rawValue: "empty")
    /// The file does not start as an ELF file does.
    public static let notELF = Self(rawValue: "not-elf")
    /// The file states a range that goes beyond the file's end.
    public static let truncated = Self(rawValue: "truncated")
    /// The file states a table of more than 256 MiB.
    public static let tooLarge = Self(rawValue: "too-large")
    /// A table does not fit into memory.
    public static let outOfMemory = Self(rawValue: "out-of-memory")
    /// The file violates the format, or contradicts itself.
    public static let malformed = Self(rawValue: "malformed")
    /// The file has no such section.
    public static let noSection = Self(rawValue: "no-section")
    /// The file has no section headers, and no note that describes the section.
    public static let noSectionHeaders = Self(rawValue: "no-section-headers")
    /// The archive has no such member.
    public static let noMember = Self(rawValue: "no-member")
    /// The image is no longer in the process's memory.
    public static let vanished = Self(rawValue: "vanished")
    /// The process has ended, and its memory is gone.
    public static let ended = Self(rawValue: "ended")
    /// The process is a part of the kernel.
    public static let kernelThread = Self(rawValue: "kernel-thread")
    /// The file is none of the process's images.
    public static let notLoaded = Self(rawValue: "not-loaded")
    /// The file is valid, but uses something that cannot be read here.
    public static let unsupported = Self(rawValue: "unsupported")
  }

  /// The word for `reason`.
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
