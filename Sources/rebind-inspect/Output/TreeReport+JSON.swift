#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension TreeReport {
  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "loader", text: graph.kind.rawValue)
    output.append(key: "interpreter", text: graph.interpreter)
    output.append(key: "interpreterProblem", text: graph.interpreterProblem)
    output.append(key: "isComplete", graph.isComplete)
    output.append(text: ",\"scope\":[")
    var isFirst = true
    for (index, image) in graph.images.enumerated() {
      output.begin(isFirst: &isFirst, separator)
      write(image, index, in: &output)
    }
    output.append(text: "],\"missing\":[")
    isFirst = true
    for missing in graph.missing {
      output.begin(isFirst: &isFirst, separator)
      write(missing, in: &output)
    }
    output.append(text: "]")
  }

  private func write(_ image: DependencyImage, _ index: Int, in output: inout OutputBuffer) {
    output.append(text: "{\"index\":\(index)")
    output.append(key: "name", text: image.name)
    output.append(key: "path", image.path)
    output.append(key: "soname", text: image.table.soname)
    output.append(key: "reason", text: image.reason?.code)
    output.append(key: "reasonOf", ifAny: image.reason?.image)
    output.append(key: "reasonEntry", text: image.reason?.entry)
    output.append(key: "loadedBy", ifAny: image.loadedBy)
    output.append(key: "isPreloaded", image.isPreloaded)
    output.append(text: ",\"needed\":[")
    var isFirst = true
    for need in image.needs {
      output.begin(isFirst: &isFirst, "")
      output.append(text: "{\"name\":\"")
      output.append(json: need.name)
      output.append(text: "\"")
      output.append(key: "index", ifAny: need.image)
      output.append(text: "}")
    }
    output.append(text: "],\"neededVersions\":[")
    isFirst = true
    for requirement in image.requirements {
      output.begin(isFirst: &isFirst, "")
      output.append(text: "{\"library\":\"")
      output.append(json: requirement.library)
      output.append(text: "\"")
      output.append(key: "version", text: requirement.version)
      output.append(key: "isWeak", requirement.isWeak)
      output.append(key: "status", text: requirement.status.rawValue)
      output.append(text: "}")
    }
    output.append(text: "]}")
  }

  private func write(_ missing: MissingLibrary, in output: inout OutputBuffer) {
    output.append(text: "{\"name\":\"")
    output.append(json: missing.name)
    output.append(text: "\"")
    output.append(key: "neededBy", ifAny: missing.neededBy)
    output.append(key: "isPreload", missing.isPreload)
    output.append(text: ",\"searched\":[")
    var isFirst = true
    for folder in missing.searched {
      output.begin(isFirst: &isFirst, "")
      output.append(text: "\"")
      output.append(path: folder, .json)
      output.append(text: "\"")
    }
    output.append(text: "],\"rejected\":[")
    isFirst = true
    for file in missing.rejected {
      output.begin(isFirst: &isFirst, "")
      output.append(text: "{\"message\":\"")
      output.append(json: file.why)
      output.append(text: "\"")
      output.append(key: "path", file.path)
      output.append(text: "}")
    }
    output.append(text: "]}")
  }
}

#endif
