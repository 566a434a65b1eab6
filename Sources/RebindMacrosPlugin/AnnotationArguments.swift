#if Macros

import SwiftSyntax
import SwiftSyntaxBuilder

/// The contents of an annotation, from the macro's arguments.
struct AnnotationArguments {
  private(set) var group = ""
  private(set) var key = ""
  private(set) var value = ""
  private(set) var priority: Int32 = 0
  /// The factory, or nil.
  private(set) var factory: ExprSyntax?
  private(set) var mistakes: [AnnotationMistake] = []

  /// Reads the arguments, which the compiler has matched with the macro's parameters: two without
  /// a label are the group and the key, a third is the factory.
  ///
  /// - Parameter typeName: The name of the annotated type, to offer as a key.
  init(
    _ arguments: LabeledExprListSyntax, trailingClosure: ClosureExprSyntax? = nil,
    typeName: String? = nil
  ) {
    factory = trailingClosure.map { ExprSyntax($0) }
    var unlabeled = ["group", "key"][...]
    for argument in arguments {
      do throws(AnnotationMistake) {
        switch argument.label?.identifier?.name ?? unlabeled.popFirst() {
        case "group": group = try AnnotationText.group.read(argument.expression)
        case "key": key = try AnnotationText.key.read(argument.expression)
        case "value": value = try AnnotationText.value.read(argument.expression)
        case "priority": priority = try AnnotationPriority.read(argument.expression)
        default: factory = argument.expression
        }
      } catch {
        let isEmptyKey =
          error.identifier == "empty" && argument.label?.identifier?.name == "key"
        mistakes.append(
          isEmptyKey && typeName != nil
            ? error.offering(
              StringLiteralExprSyntax(content: typeName ?? ""), "use the type's name")
            : error)
      }
    }
  }
}

#endif
