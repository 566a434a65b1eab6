#if Commands

import ELFInspection

extension SearchReason {
  /// The word that the outputs have for it.
  var code: String {
    switch self {
    case .path: "path"
    case .rpath: "rpath"
    case .runPath: "runpath"
    case .environment: "environment"
    case .cache: "cache"
    case .folder: "default"
    case .loader: "loader"
    }
  }

  /// The image whose search path it was.
  var image: Int? {
    switch self {
    case .rpath(let image, _), .runPath(let image, _): image
    default: nil
    }
  }

  /// The entry of a search path, or the folder.
  var entry: String? {
    switch self {
    case .rpath(_, let entry), .runPath(_, let entry), .environment(let entry), .folder(let entry):
      entry
    case .path, .cache, .loader: nil
    }
  }
}

#endif
