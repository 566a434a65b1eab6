#if Commands

import ArgumentParser

/// A verdict that `--require` asks for: a property, and the words of which one has to stand in the verdict.
struct HardeningRequirement: Sendable {
  let property: String
  let words: [String]

  /// Reads a value of `--require`: `relro=full,fortify=yes/none`.
  static func all(in argument: String) throws -> [Self] {
    try argument.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard let known = HardeningVerdict.words.first(where: { $0.key == sides[0] }) else {
        throw ValidationError(
          "'\(sides[0])' is no property. Properties are \(list(HardeningVerdict.words.map(\.key)))."
        )
      }
      let words = sides.dropFirst().joined(separator: "=").split(
        separator: "/", omittingEmptySubsequences: false
      ).map(String.init)
      guard !words.isEmpty, words.allSatisfy(known.value.contains) else {
        throw ValidationError("\(known.key) is \(list(known.value, "or")): \(part)")
      }
      return Self(property: known.key, words: words)
    }
  }

  private static func list(_ words: [String], _ last: String = "and") -> String {
    words.count < 2
      ? words.joined()
      : words.dropLast().joined(separator: ", ") + " \(last) \(words[words.count - 1])"
  }

  /// The verdict that a file has in place of it, for people; nil if it meets the requirement, or has no such
  /// property.
  func violation(in verdicts: [HardeningVerdict]) -> String? {
    guard let verdict = verdicts.first(where: { $0.property == property }),
      !verdict.verdict.split(separator: ",").contains(where: { words.contains(String($0)) })
    else { return nil }
    return
      "\(property) is \(verdict.verdict), not \(Self.list(words, "or")): \(verdict.consequence)"
  }
}

#endif
