/// A line that is being written into memory of a fixed size. Text that does not fit is counted all
/// the same, so that an empty line tells how much is needed.
struct Line {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  mutating func append(byte: UInt8) {
    if count < memory.count { memory[count] = byte }
    count += 1
  }

  mutating func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { append(byte: text.utf8Start[index]) }
  }

  mutating func append(_ number: Int) {
    if number < 0 { append("-") }
    append(magnitude: number.magnitude)
  }

  private mutating func append(magnitude: UInt) {
    if magnitude >= 10 { append(magnitude: magnitude / 10) }
    append(byte: UInt8(ascii: "0") + UInt8(magnitude % 10))
  }

  /// Appends what a C string says, as JSON has it between quotation marks.
  mutating func append(text: UnsafePointer<CChar>?) {
    guard var next = text else { return }
    while next.pointee != 0 {
      append(character: UInt8(bitPattern: next.pointee))
      next += 1
    }
  }

  mutating func append(character: UInt8) {
    switch character {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      append("\\")
      append(byte: character)
    case 0..<0x20:
      append("\\u00")
      append(byte: character < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let digit = character % 16
      append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: append(byte: character)
    }
  }
}
