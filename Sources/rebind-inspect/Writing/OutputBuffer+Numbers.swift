#if Commands

extension OutputBuffer {
  /// The most bytes that a number has, the `0x` included.
  static var longestNumber: Int { 20 }

  /// Appends a number in decimal, behind spaces that fill it up to `width`. The caller has
  /// reserved the longer of `longestNumber` and `width`.
  @inline(__always)
  mutating func append(decimal number: UInt64, width: Int = 0) {
    var digits = 1
    var bound: UInt64 = 10
    while number >= bound, digits < Self.longestNumber {
      digits += 1
      bound = bound &* 10
    }
    pad(width - digits)
    append(count: digits) { start in
      var rest = number
      var place = digits
      while place > 0 {
        place -= 1
        start[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
  }

  /// Appends a number as `0x` and hexadecimal digits, behind spaces that fill it up to `width`.
  /// The caller has reserved the longer of `longestNumber` and `width`.
  @inline(__always)
  mutating func append(hex number: UInt64, width: Int = 0) {
    let digits = max(1, (64 - number.leadingZeroBitCount + 3) / 4)
    pad(width - digits - 2)
    append("0x")
    append(count: digits) { start in
      var rest = number
      var place = digits
      while place > 0 {
        place -= 1
        let digit = UInt8(truncatingIfNeeded: rest) & 0xf
        start[place] = digit &+ (digit < 10 ? 0x30 : 0x57)
        rest >>= 4
      }
    }
  }

  /// Appends a number in hexadecimal with its sign, or `-` for none, behind spaces that fill it up
  /// to `width`. The caller has reserved the longer of `longestNumber` and `width`.
  @inline(__always)
  mutating func append(hexIfAny number: Int64?, width: Int) {
    guard let number else {
      pad(width - 1)
      return append(0x2d)
    }
    let digits = max(1, (64 - number.magnitude.leadingZeroBitCount + 3) / 4)
    pad(width - digits - 2 - (number < 0 ? 1 : 0))
    if number < 0 { append(0x2d) }
    append(hex: number.magnitude)
  }

  /// Appends a number in decimal with its sign, or `null` for none. The caller has reserved
  /// `longestNumber`.
  @inline(__always)
  mutating func append(decimalIfAny number: Int64?) {
    guard let number else { return append("null") }
    if number < 0 { append(0x2d) }
    append(decimal: number.magnitude)
  }

  /// Appends spaces that fill up a column. No line is broken at these spaces. Appends none if
  /// `count` is not positive. The caller has reserved them.
  @inline(__always)
  mutating func pad(_ count: Int) {
    guard count > 0 else { return }
    let space = isWrapped ? LineWrapper.joinedSpace : 0x20
    append(count: count) { $0.update(repeating: space, count: count) }
  }
}

#endif
