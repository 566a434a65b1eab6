#if Macros

import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// One of an annotation's strings.
enum AnnotationText: String {
  case group, key, value

  /// In bytes of UTF-8.
  private var limit: Int { self == .value ? 8191 : 1023 }
  private var mayBeEmpty: Bool { self == .value }

  /// The text that the macro's argument gives.
  func read(_ argument: ExprSyntax) throws(AnnotationMistake) -> String {
    guard let literal = argument.as(StringLiteralExprSyntax.self) else {
      throw AnnotationMistake(
        argument, "notLiteral",
        "the \(self) has to be a string literal: it is stored when the program is compiled")
    }
    if let interpolation = literal.segments.first(where: { $0.is(ExpressionSegmentSyntax.self) }) {
      throw AnnotationMistake(
        interpolation, "interpolated",
        "the \(self) cannot be interpolated: it is stored when the program is compiled")
    }
    // The compiler refuses such a literal before it expands the macro.
    guard let text = literal.representedLiteralValue else {
      throw AnnotationMistake(argument, "malformed", "the \(self) is no proper string literal")
    }
    if text.isEmpty && !mayBeEmpty {
      throw AnnotationMistake(argument, "empty", "the \(self) is empty")
    }
    if text.utf8.contains(0) {
      let mistake = AnnotationMistake(
        argument, "zeroByte", "the \(self) has a zero byte, which would end it")
      let rest = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\0" }))
      guard mayBeEmpty || !rest.isEmpty else { throw mistake }
      throw mistake.offering(StringLiteralExprSyntax(content: rest), "remove the zero byte")
    }
    guard text.utf8.count <= limit else {
      throw AnnotationMistake(
        argument, "tooLong",
        "the \(self) has \(text.utf8.count) bytes of UTF-8, and may have \(limit) at most")
    }
    return text
  }
}

#endif
