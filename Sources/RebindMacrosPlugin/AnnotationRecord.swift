#if Macros

import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The declaration of a record in the section `rebind_annotations`, which
/// Documentation/ABI/Annotations.md describes.
struct AnnotationRecord {
  var arguments: AnnotationArguments
  /// The closure that answers a registry, if any.
  var accessor: ExprSyntax?
  var line: ExprSyntax
  var name: TokenSyntax
  /// The size of an address on the machine that the code is compiled for.
  var addressSize: Int
  var isBigEndian: Bool

  /// The strings, each with a zero byte behind it, as words of 32 bits. The compiler's time is in
  /// proportion to the number of elements, and it refuses arrays of many more than 4,096.
  private var words: [UInt32] {
    var bytes: [UInt8] = []
    for text in [arguments.group, arguments.key, arguments.value] {
      bytes += Array(text.utf8) + [0]
    }
    while (headerSize + bytes.count) % addressSize != 0 { bytes.append(0) }
    return stride(from: 0, to: bytes.count, by: 4).map { start in
      let word = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return isBigEndian ? word : word.byteSwapped
    }
  }

  private var headerSize: Int { 16 + addressSize }

  // A plug-in is built by the compiler that it serves. Older compilers have SE-0492's attributes as
  // experimental ones.
  #if compiler(>=6.3)
  private static let section = "@section"
  private static let used = "@used"
  #else
  private static let section = "@_section"
  private static let used = "@_used"
  #endif

  // Nonisolated, for modules and types that are isolated to an actor. Returned as text: to indent a
  // tree of thousands of numbers takes swift-syntax seconds.
  private func declaration(name: String) -> String {
    let words = words
    let size = headerSize + 4 * words.count
    let accessorType = accessor == nil ? "Swift.Int" : "RebindAnnotations.AnnotationAccessor"
    let numbers = words.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
    return """
      \(Self.section)("rebind_annotations") \(Self.used)
      nonisolated private static let \(name): (
        magic: Swift.UInt32, size: Swift.UInt32, priority: Swift.Int32, line: Swift.UInt32,
        accessor: \(accessorType), strings: Swift.InlineArray<\(words.count), Swift.UInt32>
      ) = (
        magic: 0x31414252, size: \(size), priority: \(arguments.priority), line: \(line),
        accessor: \(accessor ?? "0"),
        strings: [\(numbers)]
      )
      """
  }

  /// For a type.
  var member: DeclSyntax { "\(raw: declaration(name: name.text))" }

  /// For a file: in a type of its own, as the top level of a program warns of constants that
  /// nothing uses.
  var topLevel: DeclSyntax {
    """
    private enum \(name) {
      \(raw: declaration(name: "record"))
    }
    """
  }
}

extension AnnotationRecord {
  /// - Parameter node: The record's line is the line of this node.
  init(
    _ arguments: AnnotationArguments, accessor: ExprSyntax?,
    node: some SyntaxProtocol, in context: some MacroExpansionContext
  ) {
    self.arguments = arguments
    self.accessor = accessor
    // Code that another macro has written has no location.
    line = context.location(of: node)?.line ?? "0"
    name = context.makeUniqueName("annotation")
    #if canImport(SwiftSyntax603)
    addressSize = (context.buildConfiguration?.targetPointerBitWidth ?? 64) / 8
    isBigEndian = context.buildConfiguration?.endianness == .big
    #else
    // 602 does not tell: the machine that compiles.
    addressSize = MemoryLayout<Int>.size
    isBigEndian = 1.bigEndian == 1
    #endif
  }
}

#endif
