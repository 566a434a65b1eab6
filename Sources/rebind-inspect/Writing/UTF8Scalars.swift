#if Commands

/// The scalars of bytes that may not be UTF-8, each with the bytes it was read from.
///
/// The scalar is nil where the bytes are no UTF-8.
struct UTF8Scalars: Sequence, IteratorProtocol {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  mutating func next() -> (scalar: Unicode.Scalar?, source: UnsafeRawBufferPointer)? {
    var parser = Unicode.UTF8.ForwardParser()
    var bytes = rest.makeIterator()
    switch parser.parseScalar(from: &bytes) {
    case .valid(let encoded):
      return (UTF8.decode(encoded), take(encoded.count))
    case .error(let length):
      return (nil, take(length))
    case .emptyInput:
      return nil
    }
  }

  private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    let taken = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    return taken
  }
}

#endif
