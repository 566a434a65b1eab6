import TestSupport

/// The libraries that the loader itself says it would load, in its order: the independent witness.
func loaderTrace(
  _ file: String, environment: [String: String] = [:]
) throws -> [LoadedLibrary] {
  let result = try run(
    file, environment: environment.merging(["LD_TRACE_LOADED_OBJECTS": "1"]) { $1 })
  return result.output.split(separator: "\n").compactMap { line in
    // `libc.so.6 => /lib/libc.so.6 (0x…)`, `/lib64/ld.so (0x…)`, or `libfoo.so => not found`.
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    if words.count > 2, words[1] == "=>" {
      return LoadedLibrary(name: words[0], path: words[2] == "not" ? nil : words[2])
    }
    return words[0].hasPrefix("/")
      ? LoadedLibrary(name: FilePathText.last(words[0]), path: words[0]) : nil
  }
}

struct LoadedLibrary: Equatable {
  var name: String
  var path: String?
}

enum FilePathText {
  static func last(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
