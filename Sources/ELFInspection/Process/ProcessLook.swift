import Glibc
package import RebindFiles

/// Findings in the images of a process, made while its loader was at rest; the look waits for that.
package struct ProcessLook<Found> {
  /// In the order of the scope.
  package internal(set) var entries: [Entry] = []
  /// False if the loader was never at rest as long as that.
  package let isSettled: Bool
  /// True if the process had no processor as long as that, so that passing findings are left out.
  package internal(set) var isStarved = false

  /// An image and its finding; nil without a finding.
  package struct Entry {
    package let image: LoadedImage
    package internal(set) var result: Result<Found?, ELFFileError>
  }

  /// Looks at images until they stay the same meanwhile, at most ten times.
  ///
  /// - Parameter images: Which ones; mostly all but the kernel's.
  /// - Parameter find: Called again for each look.
  /// - Throws: `ELFFileError` if the process may not be looked at, is not there, or has ended.
  package init(
    pid: Int32, of images: (ProcessScope) -> [LoadedImage] = { $0.ordinaryImages },
    _ find: (LoadedImage, ProcessScope) throws(ELFFileError) -> Found?
  ) throws(ELFFileError) {
    var attempt = 1
    var status = ProcessStatus(of: pid)
    while true {
      let scope: ProcessScope
      do throws(ELFFileError) {
        scope = try ProcessScope(pid: pid)
      } catch {
        throw error.code == .notFound && status != nil
          ? ELFFileError(path: error.filePath, reason: .ended) : error
      }
      let isLast = attempt == 10
      if scope.isSettled || isLast {
        (entries, status) = ([], ProcessStatus(of: pid))
        var hasLost = false
        for image in images(scope) {
          do throws(ELFFileError) {
            entries.append(Entry(image: image, result: .success(try find(image, scope))))
          } catch {
            entries.append(Entry(image: image, result: .failure(error)))
            if error.reason == .vanished { hasLost = true }
          }
        }
        if hasLost, ProcessStatus(of: pid)?.hasEnded ?? true {
          throw ELFFileError(path: FilePath("/proc/\(pid)"), reason: .ended)
        }
        let isSettled = scope.isSettled
        // An image can name tables that never were in memory.
        if isLast || isSettled && (!hasLost || attempt >= 3) {
          self.isSettled = isSettled
          return
        }
      }
      usleep(UInt32(attempt) * 1000)
      attempt += 1
    }
  }
}
