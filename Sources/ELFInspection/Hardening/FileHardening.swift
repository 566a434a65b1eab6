package import Rebind
package import RebindFiles

/// The protections of a file against attacks: by its headers, and by its compiler's traces.
package struct FileHardening {
  /// The kind of a file, which decides what can be said.
  package enum Kind: String {
    /// Loaded where it was linked to.
    case program
    /// A program that can be loaded anywhere.
    case positionIndependentProgram = "pie"
    /// A program without a loader, and so without slots that one fills.
    case staticProgram = "static"
    case staticPositionIndependentProgram = "static-pie"
    case library
    /// A relocatable file.
    case object
    /// A type of file that is not known here.
    case other
  }

  package let kind: Kind
  /// The protections that the headers show.
  package let headers: Hardening
  /// Functions check that their stack was not overwritten. Nil without symbols to tell by, or if
  /// those of a static program may be its C library's. The corresponding option of compilers is
  /// `-fstack-protector`.
  package let hasStackProtector: Bool?
  /// The names that calls with a check of the size go to: `__memcpy_chk`. The corresponding macro
  /// is `_FORTIFY_SOURCE`.
  package let fortified: [String]
  /// The functions that could be checked, and are called unchecked too: `memcpy`.
  package let fortifiable: [String]
  /// False without symbols to tell the two by.
  package let knowsFortified: Bool
  /// The rules that the code keeps, so that the processor can check branches: `IBT`, `SHSTK`,
  /// `BTI`, `PAC`.
  package let branchProtections: [String]
  /// The corresponding tags are `DT_RPATH` and `DT_RUNPATH`.
  package let rpath: String?
  package let runPath: String?
  /// The loader of a program that runs with the rights of others, by its mode: it passes over the
  /// environment. Nil for other files.
  package let loaderOfOthersRights: LoaderKind?
  /// Names are bound inside the file first. The corresponding tag is `DT_SYMBOLIC`.
  package let isSymbolic: Bool
  /// The file asks for its pages to be sealed, as glibc does from 2.43 on.
  package let asksForSealing: Bool
}

extension ELFFile {
  /// The file's protections against attacks.
  ///
  /// - Throws: `ELFFileError` if the file contradicts itself, is a core file, or was split from another and has
  ///   no code.
  /// - Complexity: O(symbols).
  package var hardening: FileHardening {
    get throws(ELFFileError) {
      try checkIsNoCore()
      if isDebugFile {
        throw reader.error(
          .unsupported("has no code, only debug information"), field: nil, at: nil)
      }
      let dynamicTable = try dynamicTable
      let table = dynamicTable ?? DynamicTable()
      let kind = try kind(dynamicTable)
      var headers = Hardening(type: type, segments: segments, dynamicTable: table)
      if bindsAtLoad { headers.bindsNow = true }
      if kind == .object {
        headers.hasNonExecutableStack = try sectionTable.contains {
          $0.section.name == ".note.GNU-stack" && !$0.section.flags.contains(.executable)
        }
      }
      let names = try CheckedNames(of: self, kind)
      let properties = try noteProperties
      return FileHardening(
        kind: kind, headers: headers, hasStackProtector: names?.hasStackProtector(of: kind),
        fortified: names?.fortified ?? [], fortifiable: names?.fortifiable ?? [],
        knowsFortified: names != nil,
        branchProtections: properties.filter { $0.type == 0xc000_0002 || $0.type == 0xc000_0000 }
          .flatMap { $0.flags ?? [] },
        rpath: table[.rpath]?.string, runPath: table[.runPath]?.string,
        loaderOfOthersRights: try loaderOfOthersRights(table),
        isSymbolic: table.isSymbolic, asksForSealing: Self.asksForSealing(properties))
    }
  }

  /// The file asks for its pages to be sealed by mseal(2).
  var asksForSealing: Bool {
    get throws(ELFFileError) { Self.asksForSealing(try noteProperties) }
  }

  private static func asksForSealing(_ properties: [NoteProperty]) -> Bool {
    properties.contains { $0.type == NoteProperty.memorySeal }
  }

  private var noteProperties: [NoteProperty] {
    get throws(ELFFileError) {
      var properties: [NoteProperty] = []
      for note in try notes {
        if case .properties(let all)? = note.content { properties += all }
      }
      return properties
    }
  }

  private func loaderOfOthersRights(_ table: DynamicTable) throws(ELFFileError) -> LoaderKind? {
    guard let interpreter = try interpreter, reader.path.changesUser else { return nil }
    return LoaderKind(interpreter: interpreter, needed: table.needed)
  }

  private func kind(_ dynamicTable: DynamicTable?) throws(ELFFileError) -> FileHardening.Kind {
    if isRelocatable { return .object }
    let hasLoader = segments.contains { $0.type == .interpreter }
    switch type {
    case .executable: return hasLoader ? .program : .staticProgram
    case .sharedObject:
      guard let dynamicTable else { return .library }
      // A loader has a soname; libraries can have an interpreter too, to be run.
      if dynamicTable.flags1.contains(.positionIndependentExecutable) {
        return hasLoader ? .positionIndependentProgram : .staticPositionIndependentProgram
      }
      return hasLoader && dynamicTable[.debug] != nil && dynamicTable.soname == nil
        ? .positionIndependentProgram : .library
    default: return .other
    }
  }
}
