public import Foundation

extension Data {
  /// Copies with a few bytes changed each, the same ones in each run.
  public func damaged(times: Int) -> [Data] {
    // Bytes that are not zero, and those beside them, are those that mean something.
    let bytes = Array(self)
    let meaningful = bytes.indices.filter { index in
      bytes[Swift.max(index - 1, 0)...].prefix(3).contains { $0 != 0 }
    }
    let headers = Array(0..<Swift.min(512, count))
    var generator = SplitMix64(state: 0x5eed)
    return (0..<times).map { _ in
      var copy = self
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let places = Bool.random(using: &generator) ? headers : meaningful
        guard let place = places.randomElement(using: &generator) else { continue }
        copy[place] =
          Bool.random(using: &generator)
          ? copy[place] ^ (1 << UInt8.random(in: 0..<8, using: &generator))
          : [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
      }
      return copy
    }
  }

  /// Copies with a byte or an aligned word of a range changed each, to what is likely to be wrong.
  public func damaged(
    in range: Range<Int>, times: Int, using generator: inout SplitMix64
  ) -> [Data] {
    (0..<times).compactMap { _ in
      guard let place = range.randomElement(using: &generator) else { return nil }
      var copy = self
      let size = [1, 1, 4, 8].randomElement(using: &generator) ?? 1
      let start = place / size * size
      let word = start..<Swift.min(start + size, count)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: copy[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: copy.resetBytes(in: word)
      case 2: for index in word { copy[index] = 0xff }
      default: for index in word { copy[index] = UInt8.random(in: 0...255, using: &generator) }
      }
      return copy
    }
  }
}
