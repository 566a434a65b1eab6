#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// A property of a file, as checksec and its kind judge it, and what follows from it.
struct HardeningVerdict {
  let property: String
  /// One word, or words with commas between them.
  let verdict: String
  let consequence: String

  /// All verdicts that apply to a file of this kind.
  ///
  /// - Parameter sealing: The sealing of a process's image; nil for a file.
  static func all(of hardening: FileHardening, _ sealing: ProcessSealing?) -> [Self] {
    var verdicts: [Self] = []
    if hardening.hasSlots { verdicts += slots(hardening) }
    if let place = place(hardening.kind) { verdicts.append(place) }
    if hardening.kind != .other { verdicts += [stack(hardening.headers), canary(hardening)] }
    if hardening.kind != .other { verdicts += [fortify(hardening), branches(hardening)] }
    if hardening.hasSlots { verdicts += [searchPath(hardening)] }
    if hardening.kind != .object, hardening.kind != .other { verdicts += code(hardening.headers) }
    if hardening.hasSlots { verdicts.append(symbolic(hardening)) }
    if let sealing { verdicts.append(sealed(sealing)) }
    if hardening.hasSlots, sealing == nil { verdicts.append(seal(hardening)) }
    return verdicts
  }

  /// The properties, and the words that a verdict can have.
  static let words: KeyValuePairs<String, [String]> = [
    "relro": ["full", "partial", "none"], "binding": ["now", "lazy"],
    "pie": ["yes", "no", "library"], "stack": ["nx", "executable"],
    "canary": ["yes", "no", "unknown"],
    "fortify": ["yes", "partial", "no", "none", "unknown"],
    "branches": ["IBT", "SHSTK", "BTI", "PAC", "GCS", "unchecked"],
    "search-path": ["none", "runpath", "rpath"], "text-relocations": ["no", "yes"],
    "writable-code": ["no", "yes"], "symbolic": ["yes", "no"],
    "seal": ["requested", "sealed", "partial", "no"],
  ]

  private init(_ property: String, _ verdict: String, _ consequence: String) {
    self.property = property
    self.verdict = verdict
    self.consequence = consequence
  }

  private static func slots(_ hardening: FileHardening) -> [Self] {
    let headers = hardening.headers
    let relro =
      switch headers.relro {
      case .full: "slots need mprotect to be rebound: they are read-only once relocated"
      case .partial: "jump slots are writable, and what else is relocated needs mprotect"
      case .none: "all slots are writable"
      }
    return [
      Self("relro", headers.relro.rawValue, relro),
      Self(
        "binding", headers.bindsNow ? "now" : "lazy",
        headers.bindsNow
          ? "originals are already resolved in the slots"
          : "a jump slot has no original before its first call"),
    ]
  }

  private static func place(_ kind: FileHardening.Kind) -> Self? {
    switch kind {
    case .program, .staticProgram:
      Self("pie", "no", "the program is always at the same addresses")
    case .positionIndependentProgram, .staticPositionIndependentProgram:
      Self("pie", "yes", "the program is at other addresses in each run")
    case .library: Self("pie", "library", "the library is at other addresses in each run")
    case .object, .other: nil
    }
  }

  private static func stack(_ headers: Hardening) -> Self {
    headers.hasNonExecutableStack
      ? Self("stack", "nx", "data on the stack cannot be run")
      : Self("stack", "executable", "data on the stack can be run as code")
  }

  private static func canary(_ hardening: FileHardening) -> Self {
    switch hardening.hasStackProtector {
    case true?: Self("canary", "yes", "functions with arrays check that their stack is whole")
    case false?: Self("canary", "no", "no function checks that its stack is whole")
    case nil where hardening.knowsFortified:
      Self("canary", "unknown", "the C library that it is linked with has the check anyway")
    case nil: Self("canary", "unknown", "the file has no symbols that would show it")
    }
  }

  private static func fortify(_ hardening: FileHardening) -> Self {
    guard hardening.knowsFortified else {
      return Self("fortify", "unknown", "the file has no symbols that would show it")
    }
    let (checked, unchecked) = (hardening.fortified, hardening.fortifiable)
    guard !checked.isEmpty else {
      return unchecked.isEmpty
        ? Self("fortify", "none", "nothing is called that could be checked")
        : Self("fortify", "no", "unchecked: \(unchecked.joined(separator: " "))")
    }
    let consequence = "rebind these too: \(checked.joined(separator: " "))"
    return unchecked.isEmpty
      ? Self("fortify", "yes", consequence)
      : Self(
        "fortify", "partial", consequence + "; unchecked: \(unchecked.joined(separator: " "))")
  }

  private static func branches(_ hardening: FileHardening) -> Self {
    let features = hardening.branchProtections
    guard !features.isEmpty else {
      return Self("branches", "unchecked", "the processor does not check where calls lead")
    }
    return Self(
      "branches", features.joined(separator: ","),
      features.contains("IBT") || features.contains("BTI")
        ? "replacements need landing pads too, where the system checks them"
        : "return addresses are checked, where the system does")
  }

  private static func searchPath(_ hardening: FileHardening) -> Self {
    if let loader = hardening.loaderOfOthersRights,
      let path = hardening.runPath ?? hardening.rpath
    {
      let origin =
        loader == .musl
        ? "$ORIGIN does not count" : "$ORIGIN counts below the system's folders alone"
      let hasOrigin = path.contains("$ORIGIN") || path.contains("${ORIGIN}")
      return Self(
        "search-path", hardening.runPath == nil ? "rpath" : "runpath",
        "libraries are taken from \(path), and LD_LIBRARY_PATH does not count: the program runs with "
          + "others' rights" + (hasOrigin ? "; \(origin)" : ""))
    }
    if let runPath = hardening.runPath {
      return Self(
        "search-path", "runpath",
        "libraries are taken from \(runPath), unless LD_LIBRARY_PATH has them")
    }
    if let rpath = hardening.rpath {
      return Self(
        "search-path", "rpath", "libraries are taken from \(rpath), whatever the environment says")
    }
    return Self("search-path", "none", "libraries are taken from where the system has them")
  }

  private static func code(_ headers: Hardening) -> [Self] {
    [
      headers.hasTextRelocations
        ? Self(
          "text-relocations", "yes", "the loader changes code, which must be writable for that")
        : Self("text-relocations", "no", "code is as in the file"),
      headers.hasWritableCode
        ? Self("writable-code", "yes", "a segment is writable and executable at once")
        : Self("writable-code", "no", "no segment is writable and executable at once"),
    ]
  }

  private static func symbolic(_ hardening: FileHardening) -> Self {
    hardening.isSymbolic
      ? Self("symbolic", "yes", "calls of its own functions stay inside and have no slots")
      : Self("symbolic", "no", "calls of its own exported functions may go through slots")
  }
}

extension HardeningVerdict {
  private static func seal(_ hardening: FileHardening) -> Self {
    hardening.asksForSealing
      ? Self("seal", "requested", "from glibc 2.43 on no rebinding changes read-only slots")
      : Self("seal", "no", "no loader is asked to seal pages")
  }

  /// The verdict on the sealing of a process's image.
  private static func sealed(_ sealing: ProcessSealing) -> Self {
    switch sealing {
    case .full: Self("seal", "sealed", "no rebinding changes read-only slots")
    case .partial:
      Self("seal", "partial", "no rebinding changes slots in the pages that are sealed")
    case .none: Self("seal", "no", "no pages are sealed")
    }
  }
}

extension FileHardening {
  /// True if a loader fills slots of the file.
  fileprivate var hasSlots: Bool {
    switch kind {
    case .program, .positionIndependentProgram, .library: true
    case .staticProgram, .staticPositionIndependentProgram, .object, .other: false
    }
  }
}

#endif
