#if Macros

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `#annotate`: a record at file scope, or a static one in a type.
enum AnnotateMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let arguments = AnnotationArguments(node.arguments, trailingClosure: node.trailingClosure)
    let mistakes =
      arguments.mistakes + [misplaced(node, in: context.lexicalContext)].compactMap(\.self)
    guard mistakes.isEmpty else {
      for mistake in mistakes { context.diagnose(mistake.diagnostic) }
      return []
    }
    let accessor = arguments.factory.map { factory -> ExprSyntax in
      """
      { request, result in
        RebindAnnotations.AnnotationRequest(rawValue: request).answer(creating: \(factory.trimmed), at: result)
      }
      """
    }
    let record = AnnotationRecord(arguments, accessor: accessor, node: node, in: context)
    return [context.lexicalContext.isEmpty ? record.topLevel : record.member]
  }

  /// Says why there can be no record here. The extension of a generic type is the compiler's to
  /// refuse: what it extends is not seen.
  private static func misplaced(
    _ node: some FreestandingMacroExpansionSyntax, in scopes: [Syntax]
  ) -> AnnotationMistake? {
    if let scope = scopes.first, scope.asProtocol((any DeclGroupSyntax).self) == nil {
      return AnnotationMistake(
        node, "local", "'#annotate' has to be at file scope or in a type, not in a function")
    }
    if scopes.first?.is(ProtocolDeclSyntax.self) == true {
      return AnnotationMistake(
        node, "protocol", "'#annotate' cannot be in a protocol, which has no static storage")
    }
    if scopes.contains(where: \.isGeneric) {
      return AnnotationMistake(
        node, "generic", "'#annotate' cannot be in a generic type, which has no static storage")
    }
    return nil
  }
}

#endif
