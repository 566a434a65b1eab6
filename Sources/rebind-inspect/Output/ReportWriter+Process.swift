import RebindFiles

extension ReportWriter {
  /// Writes what `body` finds in each image of a process but the kernel's; nil for one that is not
  /// shown. An image that fails is reported.
  mutating func readImages<Body: ReportBody>(
    of pid: Int32,
    _ body: (LoadedImage, ProcessScope) throws(ELFFileError) -> Body?
  ) {
    do throws(ELFFileError) {
      let scope = try ProcessScope(pid: pid)
      for image in scope.ordinaryImages {
        FatalSignals.isReading(image.image.path)
        outcome.readCount += 1
        do throws(ELFFileError) {
          if let found = try body(image, scope) { write(found) }
        } catch {
          write(error)
        }
      }
    } catch {
      write(error)
    }
  }
}
