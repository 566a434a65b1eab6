#if Macros

import SwiftDiagnostics
import SwiftSyntax

/// A mistake in the use of a macro, and where it is.
struct AnnotationMistake: DiagnosticMessage, Error {
  let node: Syntax
  let message: String
  let identifier: String
  var fixIts: [FixIt] = []

  var diagnosticID: MessageID { MessageID(domain: "RebindMacros", id: identifier) }
  var severity: DiagnosticSeverity { .error }
  var diagnostic: Diagnostic { Diagnostic(node: node, message: self, fixIts: fixIts) }

  init(_ node: some SyntaxProtocol, _ identifier: String, _ message: String) {
    self.node = Syntax(node)
    self.identifier = identifier
    self.message = message
  }

  /// The same, with another expression offered in the node's place.
  func offering(_ replacement: some ExprSyntaxProtocol, _ message: String) -> Self {
    var copy = self
    let change = FixIt.Change.replace(
      oldNode: node,
      newNode: Syntax(
        replacement.with(\.leadingTrivia, node.leadingTrivia)
          .with(\.trailingTrivia, node.trailingTrivia)))
    copy.fixIts.append(
      FixIt(message: Offer(message: message, identifier: identifier), changes: [change]))
    return copy
  }

  private struct Offer: FixItMessage {
    let message: String
    let identifier: String
    var fixItID: MessageID { MessageID(domain: "RebindMacros", id: identifier) }
  }
}

#endif
