/// A text that equals another only if all bytes are equal, as loaders compare names. `String` takes the two
/// spellings of é for one.
package struct ExactText: Hashable, Comparable, Sendable {
  package let string: String

  init(_ string: String) { self.string = string }

  package static func == (first: Self, second: Self) -> Bool {
    first.string.utf8.elementsEqual(second.string.utf8)
  }

  package static func < (first: Self, second: Self) -> Bool {
    first.string.utf8.lexicographicallyPrecedes(second.string.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
