#if Macros

import SwiftSyntax

extension Syntax {
  /// A declaration with generic parameters: what is declared in it is generic, too.
  var isGeneric: Bool {
    asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
  }
}

#endif
