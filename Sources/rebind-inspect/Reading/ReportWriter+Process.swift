#if Commands

import ELFInspection
import RebindFiles

extension ReportWriter {
  /// Writes what `body` finds in each image of a process but the kernel's; nil for one that is not
  /// shown. An image that fails is reported.
  ///
  /// - Parameter then: Called with what was written.
  mutating func readImages<Body: ReportBody>(
    of pid: Int32,
    _ body: (LoadedImage, ProcessScope) throws(ELFFileError) -> Body?,
    then: (Body, inout ReportWriter) -> Void = { _, _ in }
  ) {
    do throws(ELFFileError) {
      let look = try ProcessLook(pid: pid) { image, scope throws(ELFFileError) in
        FatalSignals.isReading(image.image.path)
        return try body(image, scope)
      }
      write(look, of: pid) { _, found in
        found
      } then: {
        then($0, &$1)
      }
    } catch {
      write(error)
    }
  }

  /// Writes what `body` makes of what was found in each image; nil for one that is not shown.
  mutating func write<Found, Body: ReportBody>(
    _ look: ProcessLook<Found>, of pid: Int32, _ body: (LoadedImage, Found) -> Body?,
    then: (Body, inout ReportWriter) -> Void = { _, _ in }
  ) {
    for entry in look.entries {
      outcome.readCount += 1
      switch entry.result {
      case .success(let found):
        guard let found, let shown = body(entry.image, found) else { continue }
        write(shown)
        then(shown, &self)
        for warning in entry.image.loaded.reader.warnings { warn(entry.image.image.path, warning) }
      case .failure(let error): write(error)
      }
    }
    if !look.isSettled {
      fail(
        FilePath("/proc/\(pid)"),
        "its loader was loading or unloading images whenever they were looked at")
    }
    if look.isStarved {
      fail(
        FilePath("/proc/\(pid)"),
        "it had no processor for ten seconds, so that loading cannot be told from a change")
    }
  }
}

#endif
