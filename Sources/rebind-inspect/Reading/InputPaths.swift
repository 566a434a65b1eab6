#if Commands

import ArgumentParser
import RebindFiles

/// The paths of one argument of argument-parser's, which are several by `RawArguments`.
struct InputPaths: ExpressibleByArgument {
  let paths: [FilePath]

  init(argument: String) {
    paths = RawArguments.decode(argument).map { FilePath($0) }
  }

  static var defaultCompletionKind: CompletionKind { .file() }
}

#endif
