import Rebind
import RebindFiles
import TestSupport

/// The headers of a file, and files that are no ELF.
@Suite(.measured) struct ELFFileTests {
  @Test func header() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let file = try ELFFile(path: built.path)
    #expect(file.elfClass == .bits64 && file.byteOrder == .host && file.type == .sharedObject)
    #expect(file.segments.contains { $0.type == .dynamic })
    let other = try AnnotatedFile(target: "powerpc-linux-gnu")
    let foreign = try ELFFile(path: other.path)
    #expect(foreign.elfClass == .bits32 && foreign.byteOrder == .big)
    #expect(foreign.machine.rawValue == 20)
  }

  @Test(arguments: [
    ("/nowhere", ELFFileError.Code.notFound), ("/etc/passwd", .notELF), ("/", .notRegularFile),
  ])
  func refused(path: String, code: ELFFileError.Code) throws {
    let error = #expect(throws: ELFFileError.self) { try ELFFile(path: path) }
    #expect(error?.code == code && error?.path == path)
    #expect(error.map { "\($0)" }?.hasPrefix("\(path): ") == true)
  }

  /// Damaged files: an answer or an error, and never a trap, which would end the tests.
  @Test(arguments: AnnotatedFile.foreignTargets)
  func damaged(target: String) throws {
    let built = try AnnotatedFile(target: target)
    var answers = 0
    var failures = 0
    for bytes in try built.bytes().damaged(times: tries(300)) {
      let path = try built.write(bytes, as: "damaged")
      do {
        let file = try ELFFile(path: path)
        _ = try file.sections()
        _ = try file.annotations()
        _ = try file.sectionData(named: "names").pointedStrings()
        answers += 1
      } catch is ELFFileError {
        failures += 1
      } catch is SectionError {
        answers += 1
      }
    }
    #expect(answers > 0 && failures > 0)
  }
}
