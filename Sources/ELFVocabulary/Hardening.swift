#if os(Linux) && !REBIND_ELSEWHERE
/// The protections of an image against attacks, as far as its headers say.
package struct Hardening: Sendable, Hashable {
  /// How much of what the loader relocates is read-only afterwards.
  package enum Relro: String, Sendable, Hashable {
    /// The image has no `PT_GNU_RELRO`.
    case none
    /// All but the jump slots, which are bound lazily.
    case partial
    /// The jump slots too, since they are bound at load.
    case full
  }

  /// From `PT_GNU_RELRO` and the tags of `bindsNow`.
  package var relro: Relro
  /// All jump slots are bound at load (`DT_BIND_NOW`, `DF_BIND_NOW`, `DF_1_NOW`).
  package var bindsNow: Bool
  /// A program that can be loaded anywhere: of the type `ET_DYN` with `DF_1_PIE`
  /// or, from older linkers, with `DT_DEBUG`.
  package var isPositionIndependentExecutable: Bool
  /// The image has a `PT_GNU_STACK` without `PF_X`, or it is the vDSO, whose headers do not
  /// decide about the stack.
  package var hasNonExecutableStack: Bool
  /// Relocations change pages that are not writable (`DT_TEXTREL`, `DF_TEXTREL`).
  package var hasTextRelocations: Bool
  /// A `PT_LOAD` is writable and executable at once.
  package var hasWritableCode: Bool
  /// The image says where its libraries are (`DT_RPATH`, `DT_RUNPATH`), so that anyone who can
  /// write there can replace them.
  package var hasSearchPath: Bool

  /// Reads it from the headers of an image or of a file.
  package init(type: ImageType, segments: [Segment], dynamicTable: DynamicTable) {
    bindsNow = dynamicTable.bindsNow
    let hasRelro = segments.contains { $0.type == .relro }
    relro = !hasRelro ? .none : bindsNow ? .full : .partial
    isPositionIndependentExecutable =
      type == .sharedObject
      && (dynamicTable.flags1.contains(.positionIndependentExecutable)
        || dynamicTable[.debug] != nil)
    hasNonExecutableStack = segments.contains {
      $0.type == .stack && !$0.permissions.contains(.execute)
    }
    hasTextRelocations =
      dynamicTable[.textRelocations] != nil || dynamicTable.flags.contains(.textRelocations)
    hasWritableCode = segments.contains {
      $0.type == .load && $0.permissions.isSuperset(of: [.write, .execute])
    }
    hasSearchPath = !dynamicTable.searchPath.isEmpty
  }
}

extension Hardening: CustomStringConvertible {
  /// `relro full, bind now, PIE, NX stack`.
  package var description: String {
    var texts = ["relro \(relro)", bindsNow ? "bind now" : "lazy binding"]
    if isPositionIndependentExecutable { texts.append("PIE") }
    texts.append(hasNonExecutableStack ? "NX stack" : "executable stack")
    if hasTextRelocations { texts.append("text relocations") }
    if hasWritableCode { texts.append("writable code") }
    if hasSearchPath { texts.append("search path") }
    return texts.joined(separator: ", ")
  }
}
#endif
