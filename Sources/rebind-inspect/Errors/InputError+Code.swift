import Glibc

extension InputError {
  /// What went wrong, for programs: a word that stays the same from release to release.
  struct Code: RawRepresentable {
    let rawValue: String

    static let notFound = Code(rawValue: "not-found")
    static let permissionDenied = Code(rawValue: "permission-denied")
    static let system = Code(rawValue: "system")
    static let notRegularFile = Code(rawValue: "not-regular-file")
    static let empty = Code(rawValue: "empty")
    static let notELF = Code(rawValue: "not-elf")
    static let truncated = Code(rawValue: "truncated")
    static let tooLarge = Code(rawValue: "too-large")
    static let outOfMemory = Code(rawValue: "out-of-memory")
    static let malformed = Code(rawValue: "malformed")
  }

  var code: Code {
    switch reason {
    case .system(ENOENT), .system(ENOTDIR): .notFound
    case .system(EACCES), .system(EPERM): .permissionDenied
    case .system: .system
    case .notRegularFile: .notRegularFile
    case .empty: .empty
    case .notELF: .notELF
    case .truncated: .truncated
    case .tooLarge: .tooLarge
    case .outOfMemory: .outOfMemory
    case .malformed: .malformed
    }
  }
}
