/// The output of `tree --format json` for a file.
struct Tree: Decodable {
  var path: String
  var loader: String
  var interpreter: String?
  var interpreterProblem: String?
  var isComplete: Bool
  var scope: [Image]
  var missing: [Missing]

  struct Image: Decodable {
    struct Need: Decodable, Equatable {
      var name: String
      var index: Int?
      var kind: String?
    }
    struct Version: Decodable, Equatable {
      var library: String
      var version: String
      var isWeak: Bool
      var status: String
    }
    var index: Int
    var name: String
    var path: String
    var soname: String?
    var reason: String?
    var reasonOf: Int?
    var reasonEntry: String?
    var loadedBy: Int?
    var isPreloaded: Bool
    var needed: [Need]
    var neededVersions: [Version]
  }

  struct Missing: Decodable {
    struct Rejected: Decodable, Equatable {
      var path: String
      var message: String
    }
    var name: String
    var neededBy: Int
    var isPreload: Bool
    var searched: [String]
    var rejected: [Rejected]
  }

  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    self = try Document<Tree>("tree", arguments, environment: environment).files[0]
  }

  func image(_ name: String) -> Image? { scope.first { $0.name == name } }

  /// In the words of the witness, which has what is missing where it was looked for.
  var libraries: [LoadedLibrary] {
    scope.dropFirst().map { LoadedLibrary(name: FilePathText.last($0.name), path: $0.path) }
  }
}
