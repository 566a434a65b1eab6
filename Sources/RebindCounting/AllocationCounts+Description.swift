#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindCounting

extension AllocationCounts: CustomStringConvertible {
  /// A table with a line for each number. A number that is not known is a dash, and the reasons follow.
  ///
  /// ```
  /// allocations                1000
  ///   malloc                   1000
  /// frees                      1000
  /// bytes asked for           32000
  /// …
  /// ```
  public var description: String {
    let lines = memoryLines + referenceLines + otherLines + mappingLines
    let texts = lines.map { (name: $0.name, number: $0.number.map(String.init) ?? "-") }
    let nameWidth = texts.map(\.name.count).max() ?? 0
    let numberWidth = texts.map(\.number.count).max() ?? 0
    return
      (texts.map { name, number in
        name + String(repeating: " ", count: nameWidth - name.count + 2)
          + String(repeating: " ", count: numberWidth - number.count) + number
      } + imageLines + siteLines + notes).joined(separator: "\n")
  }

  private typealias Line = (name: String, number: Int?)

  private var memoryLines: [Line] {
    guard kinds.contains(.memory) else { return [] }
    return [("allocations", allocations)] + calls(of: Self.allocators)
      + [
        ("frees", frees), ("bytes asked for", bytes), ("live blocks", liveBlocks),
      ] + (leakedBlocks.map { [("leaked blocks", $0)] } ?? [])
      + [
        ("live bytes (usable size)", liveUsableBytes),
        ("peak bytes (usable size)", peakUsableBytes),
      ]
  }

  private var referenceLines: [Line] {
    guard kinds.contains(.references) else { return [] }
    return [("retains", retains)] + calls(of: Self.retainers)
      + [("releases", releases)] + calls(of: Self.releasers)
  }

  private var otherLines: [Line] {
    (kinds.contains(.objects) ? [("objects", objects)] : [])
      + (kinds.contains(.accesses) ? [("exclusivity checks", exclusivityChecks)] : [])
  }

  private var mappingLines: [Line] {
    guard kinds.contains(.mappings) else { return [] }
    return [("mappings", mappings)] + calls(of: Self.mappers)
      + [("unmappings", unmappings), ("bytes mapped", mappedBytes)]
  }

  /// The lines of functions that were called, for a total of several.
  private func calls(of functions: some Sequence<String>) -> [(name: String, number: Int?)] {
    functions.compactMap { name in
      guard let number = calls[name], number > 0 else { return nil }
      return ("  " + name, number)
    }
  }

  /// The calls of each image that made some.
  private var imageLines: [String] {
    (images ?? []).compactMap { image in
      let calls = Self.functions.compactMap { name in
        image.calls[name].flatMap { $0 > 0 ? "\(name) \($0)" : nil }
      }
      guard !calls.isEmpty else { return nil }
      let name = image.path.split(separator: "/").last ?? "the program"
      return "called by \(name): \(calls.joined(separator: ", "))"
    }
  }

  private var notes: [String] {
    var reasons: [(functions: [String], reason: String)] = []
    for absence in absences {
      if let index = reasons.firstIndex(where: { $0.reason == absence.reason }) {
        reasons[index].functions.append(absence.function)
      } else {
        reasons.append(([absence.function], absence.reason))
      }
    }
    let hasReferences = retains != nil || releases != nil
    return reasons.map { "not counted: \($0.functions.joined(separator: ", ")): \($0.reason)" }
      + (hasReferences
        ? ["not seen: references that libswiftCore counts itself, as they go through no slot"] : [])
      + (mappings != nil
        ? ["not seen: mappings that the C library makes itself, as they go through no slot"] : [])
  }

  private static let functions = crebind_counting_function.all.map(\.name)
  static let allocators = names(CREBIND_COUNTING_TOTAL_ALLOCATIONS)
  static let mappers =
    names(CREBIND_COUNTING_TOTAL_MAPPINGS) + names(CREBIND_COUNTING_TOTAL_REMAPPINGS)
  static let retainers = names(CREBIND_COUNTING_TOTAL_RETAINS)
  static let releasers = names(CREBIND_COUNTING_TOTAL_RELEASES)

  /// The functions whose calls go into a total.
  static func names(_ total: crebind_counting_total) -> [String] {
    crebind_counting_function.all.filter { crebind_counting_total_of($0) == total }.map(\.name)
  }
}
#endif
