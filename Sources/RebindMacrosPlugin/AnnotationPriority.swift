#if Macros

import SwiftSyntax
import SwiftSyntaxBuilder

/// An annotation's priority.
enum AnnotationPriority {
  /// The number that the macro's argument gives.
  static func read(_ argument: ExprSyntax) throws(AnnotationMistake) -> Int32 {
    var digits = argument
    var isNegative = false
    if let prefixed = argument.as(PrefixOperatorExprSyntax.self),
      ["-", "+"].contains(prefixed.operator.text)
    {
      digits = prefixed.expression
      isNegative = prefixed.operator.text == "-"
    }
    guard let literal = digits.as(IntegerLiteralExprSyntax.self) else {
      throw AnnotationMistake(
        argument, "priorityNotLiteral",
        "the priority has to be an integer literal: it is stored when the program is compiled")
    }
    // The value is nil if the literal does not fit an Int.
    if let magnitude = literal.representedLiteralValue,
      let number = Int32(exactly: isNegative ? -magnitude : magnitude)
    {
      return number
    }
    let nearest = isNegative ? Int32.min : Int32.max
    throw AnnotationMistake(
      argument, "priorityRange",
      "the priority has to be from \(Int32.min) to \(Int32.max): it has 32 bits"
    ).offering(ExprSyntax("\(raw: nearest)"), "use \(nearest)")
  }
}

#endif
