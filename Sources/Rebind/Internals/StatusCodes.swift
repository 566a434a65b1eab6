#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind

/// The statuses of the core, each with the name of its code. A code of ``RebindError`` and one of
/// ``SectionError`` for the same status have the same name.
private let statuses: [(status: crebind_status, name: String)] = [
  (CREBIND_INVALID_ARGUMENT, RebindError.Code.invalidArgument.rawValue),
  (CREBIND_DUPLICATE_NAME, RebindError.Code.duplicateName.rawValue),
  (CREBIND_NO_SUCH_IMAGE, RebindError.Code.noSuchImage.rawValue),
  (CREBIND_STATIC_EXECUTABLE, RebindError.Code.staticExecutable.rawValue),
  (CREBIND_BROKEN_IMAGE, RebindError.Code.brokenImage.rawValue),
  (CREBIND_OUT_OF_MEMORY, RebindError.Code.outOfMemory.rawValue),
  (CREBIND_PROTECTION, RebindError.Code.protection.rawValue),
  (CREBIND_BUSY, RebindError.Code.busy.rawValue),
  (CREBIND_NO_SECTION, SectionError.Code.noSection.rawValue),
  (CREBIND_SECTION_NOT_LOADED, SectionError.Code.notLoaded.rawValue),
  (CREBIND_NO_FILE, SectionError.Code.noFile.rawValue),
  (CREBIND_OTHER_FILE, SectionError.Code.otherFile.rawValue),
  (CREBIND_NO_SECTION_HEADERS, SectionError.Code.noSectionHeaders.rawValue),
  (CREBIND_BROKEN_FILE, SectionError.Code.brokenFile.rawValue),
  (CREBIND_PREDICATE_RUNS, RebindError.Code.predicateRuns.rawValue),
  (CREBIND_SEALED, RebindError.Code.sealed.rawValue),
  (CREBIND_LEFT_OPEN, RebindError.Code.leftOpen.rawValue),
  (CREBIND_COVERED, RebindError.Code.covered.rawValue),
  (CREBIND_NOT_TAKEN_BACK, RebindError.Code.notTakenBack.rawValue),
  (CREBIND_UNDEFINED, RebindError.Code.undefined.rawValue),
  (CREBIND_UNREACHED, RebindError.Code.unreached.rawValue),
  (CREBIND_EMPTY_NAME, RebindError.Code.emptyName.rawValue),
]

extension RebindError.Code {
  /// The code for a status of the core; `status 4711` for one that this version does not know.
  init(_ status: crebind_status) {
    let known = statuses.first { $0.status == status }
    self.init(rawValue: known?.name ?? "status \(status.rawValue)")
  }
}

extension RebindError {
  /// The core's sentence for the code; `unknown status` for a code that is of Swift alone.
  var reason: String {
    let known = statuses.first { $0.name == code.rawValue }
    return String(cString: crebind_status_description(known?.status ?? crebind_status(.max)))
  }
}
#endif
