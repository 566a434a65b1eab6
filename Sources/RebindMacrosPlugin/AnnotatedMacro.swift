#if Macros

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Annotated`: a record in a type, whose accessor knows the type.
enum AnnotatedMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.trimmed
    var mistakes = [unsuitable(declaration, node, in: context.lexicalContext)].compactMap(\.self)
    guard case .argumentList(let list) = node.arguments, let name else {
      for mistake in mistakes { context.diagnose(mistake.diagnostic) }
      return []
    }
    let arguments = AnnotationArguments(list, typeName: name.identifier?.name)
    mistakes += arguments.mistakes
    guard mistakes.isEmpty else {
      for mistake in mistakes { context.diagnose(mistake.diagnostic) }
      return []
    }
    // By its name, as a class has no Self here.
    let accessor: ExprSyntax = """
      { request, result in
        RebindAnnotations.AnnotationRequest(rawValue: request).answer(with: \(name).self, at: result)
      }
      """
    return [AnnotationRecord(arguments, accessor: accessor, node: node, in: context).member]
  }

  /// Says why the declaration can have no record.
  private static func unsuitable(
    _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, in scopes: [Syntax]
  ) -> AnnotationMistake? {
    if declaration.is(ProtocolDeclSyntax.self) {
      return AnnotationMistake(
        node, "protocol", "'@Annotated' cannot be on a protocol: annotate the types that conform")
    }
    if declaration.is(ExtensionDeclSyntax.self) {
      return AnnotationMistake(
        node, "extension", "'@Annotated' cannot be on an extension: put it on the type itself")
    }
    if Syntax(declaration).isGeneric || scopes.contains(where: \.isGeneric) {
      return AnnotationMistake(
        node, "generic",
        "'@Annotated' cannot be on a generic type: a registry would not know for which arguments")
    }
    for inherited in declaration.inheritanceClause?.inheritedTypes ?? [] {
      guard let suppressed = inherited.type.as(SuppressedTypeSyntax.self)?.type.trimmedDescription,
        ["Copyable", "Escapable"].contains(suppressed)
      else { continue }
      return AnnotationMistake(
        node, "suppressed",
        "'@Annotated' cannot be on a type that is '~\(suppressed)': 'Any' cannot hold it")
    }
    return nil
  }
}

#endif
