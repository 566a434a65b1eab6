#if Commands

import ELFInspection
import RebindFiles

extension DependencyGraph {
  /// The problems that keep a loader from starting the program, a line each.
  var problems: [String] {
    (interpreterProblem.map { ["interpreter \(interpreter ?? ""): \($0)"] } ?? [])
      + missing.filter { !$0.isPreload }.map(line)
      + images.flatMap { image in
        image.requirements.filter(\.isMissing).map { requirement in
          let place = image.needs.first { $0.name == requirement.library }?.image
          let path = place.map { images[$0].path.text } ?? requirement.library
          return
            "version \(requirement.version) not found in \(path), needed by \(image.path.text)"
        }
      }
  }

  /// The problems that a loader warns of before it starts the program, and then the `gaps`, a line
  /// each.
  var warnings: [String] { missing.filter(\.isPreload).map(line) + gaps }

  /// The parts that are not read or not known, a line each.
  var gaps: [String] {
    let loader = """
      it is for a C library that is not known here, neither glibc nor musl: libraries are looked for \
      as \(kind) does
      """
    return (isForOtherLoader ? [loader] : []) + dlopenProblems
  }

  private func line(_ missing: MissingLibrary) -> String {
    var text = "\(missing.name) not found"
    text +=
      missing.isPreload ? ", to be preloaded" : ", needed by \(images[missing.neededBy].path.text)"
    for file in missing.rejected { text += "; \(file.path.text): \(file.why)" }
    if !missing.searched.isEmpty {
      text += "; searched \(missing.searched.map(\.text).joined(separator: ":"))"
    }
    return text
  }
}

#endif
