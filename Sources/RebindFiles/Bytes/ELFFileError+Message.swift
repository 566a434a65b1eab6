internal import Glibc
import Rebind

extension ELFFileError {
  /// The failure, for people: one line without the path.
  public var message: String {
    let field = field ?? "the file"
    let place = offset.map { " (at offset \(hexadecimal($0)))" } ?? ""
    return switch reason {
    case .system(let number):
      String(cString: strerror(number))
    case .notRegularFile:
      "not a regular file"
    case .empty:
      "the file is empty"
    case .notELF:
      "not an ELF file"
    case .truncated(let end, let fileSize):
      "truncated: \(field) ends at \(hexadecimal(end)), the file at \(hexadecimal(fileSize))\(place)"
    case .tooLarge(let size):
      "\(field) has \(size) bytes, more than the \(ELFReader.largestTable) of one table\(place)"
    case .outOfMemory:
      "no memory for \(field)\(place)"
    case .malformed(let how):
      "malformed: \(field) \(how)\(place)"
    case .noSection(let name):
      "no section \(name)"
    case .noSectionHeaders(let name):
      "no section headers, and no note that says where section \(name) is"
    case .noMember(let name):
      "no member \(name)"
    case .vanished:
      "was unloaded while it was read"
    case .ended:
      "the process has ended"
    case .kernelThread:
      "is a thread of the kernel, which has no memory of its own"
    case .notLoaded(let process):
      "is not loaded in process \(process)"
    case .unsupported(let why):
      "unsupported: \(field) \(why)\(place)"
    }
  }
}
