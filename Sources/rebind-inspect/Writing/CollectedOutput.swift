#if Commands

import RebindFiles

/// The output for an input, in its order, that is not written yet.
struct CollectedOutput: Sendable {
  private(set) var pieces: [Piece] = []
  /// How many bytes are kept.
  private(set) var size = 0

  enum Piece: Sendable {
    case bytes([UInt8])
    /// Text that depends on whether it is the first.
    case start(first: String, others: String)
    /// A line on standard error.
    case diagnostic(FilePath, String)
  }

  var isEmpty: Bool { pieces.isEmpty }

  /// Returns by how much that made it larger.
  mutating func append(_ piece: Piece) -> Int {
    pieces.append(piece)
    guard case .bytes(let bytes) = piece else { return 0 }
    size += bytes.count
    return bytes.count
  }
}

#endif
