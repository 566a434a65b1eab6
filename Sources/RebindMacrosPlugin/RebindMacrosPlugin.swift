import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// What the compiler runs to expand the macros of RebindMacros.
@main struct RebindMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [AnnotateMacro.self, AnnotatedMacro.self]
}
