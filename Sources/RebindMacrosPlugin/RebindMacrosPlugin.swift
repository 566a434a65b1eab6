#if Macros

import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The plug-in that the compiler runs to expand the macros of RebindMacros.
@main struct RebindMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [AnnotateMacro.self, AnnotatedMacro.self]
}

#else

// Without the trait nothing loads it.
@main enum RebindMacrosPlugin {
  static func main() {}
}

#endif
