import CFileTrace
import Glibc

/// The file name of the image that called into this one; nil for code of no image.
func callingImage() -> UnsafePointer<CChar>? {
  guard let path = file_trace_calling_image() else { return nil }
  guard path.pointee != 0 else { return UnsafePointer(Report.programName) }
  guard let slash = strrchr(path, CInt(UInt8(ascii: "/"))) else { return path }
  return UnsafePointer(slash + 1)
}
