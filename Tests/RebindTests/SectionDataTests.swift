import Rebind
import TestSupport

/// The views of a section's contents: of bytes, so that nothing needs to be loaded.
@Suite(.measured) struct SectionDataTests {
  /// A file's segment, and where relocations change words.
  private struct Memory: SectionMemory {
    var is64Bit = true
    var isByteSwapped = false
    var start: UInt64 = 0x1000
    var bytes: [UInt8] = Array("zero\0ab\0unended".utf8)
    var relocations: [UInt64: UInt64] = [:]
    /// Where pointers to another image are.
    var unresolved: Set<UInt64> = []

    func pointer(_ word: UInt64, at address: UInt64) -> UInt64? {
      unresolved.contains(address) ? nil : relocations[address] ?? word
    }

    func withBytes<Result>(
      from address: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
      guard address >= start, address < start + UInt64(bytes.count) else { return nil }
      return bytes.withUnsafeBytes {
        body(UnsafeRawBufferPointer(rebasing: $0[Int(address - start)...]))
      }
    }
  }

  private func data(
    _ bytes: [UInt8], address: UInt64 = 0x2000, alignment: UInt64 = 1, memory: Memory = Memory()
  ) -> SectionData {
    let section = Section(
      name: "names", address: address, size: UInt64(bytes.count), alignment: alignment,
      provenance: .file("/tmp/libfoo.so"))
    return SectionData(section: section, path: "/tmp/libfoo.so", bytes: bytes, memory: memory)
  }

  private func bytes<Value: BitwiseCopyable>(of values: Value...) -> [UInt8] {
    values.withUnsafeBytes(Array.init)
  }

  private func error(_ body: () throws -> Void) -> SectionError? {
    #expect(throws: SectionError.self, performing: body)
  }

  // MARK: - Bytes

  @Test func bytesAreThose() {
    let data = data([1, 2, 3])
    #expect(data.count == 3 && data.bytes == [1, 2, 3] && data.image == nil)
    #expect(data.withBytes { $0.byteCount } == 3)
    #expect(data.description == "names in libfoo.so: 3 bytes at 0x2000, known from /tmp/libfoo.so")
  }

  // MARK: - Packed strings

  @Test func packedStringsSkipPadding() throws {
    let strings = try data(Array("\0\0one\0two\0\0\0\0thr\u{e9}e\0".utf8)).packedStrings()
    #expect(strings.map(\.string) == ["one", "two", "thr\u{e9}e"])
    #expect(strings.map(\.offset) == [2, 6, 13])
    #expect(try data([]).packedStrings() == [] && data([0, 0]).packedStrings() == [])
  }

  @Test func packedStringOfAnotherEncodingIsKept() throws {
    let string = try #require(try data([0x61, 0xff, 0]).packedStrings().first)
    #expect(string.bytes == [0x61, 0xff] && string.string == "a\u{fffd}")
  }

  @Test func packedStringWithoutEnd() {
    let error = error { _ = try data(Array("one\0tw".utf8)).packedStrings() }
    #expect(error?.code == .unterminated && error?.offset == 4)
    #expect(error?.description == "/tmp/libfoo.so: names: at offset 4: the string has no end")
  }

  // MARK: - Strings by pointers

  @Test func pointersAreFollowed() throws {
    let data = data(bytes(of: UInt64(0x1005), 0, 0x1000, 0x1004))
    let strings = try data.pointedStrings()
    #expect(strings.map(\.string) == ["ab", "zero", ""])
    #expect(strings.map(\.offset) == [0, 16, 24])
  }

  @Test(arguments: [true, false], [true, false])
  func classAndByteOrderAreTheFiles(is64Bit: Bool, isSwapped: Bool) throws {
    let word: UInt64 = isSwapped ? (0x1005 as UInt64).byteSwapped : 0x1005
    let half: UInt32 = isSwapped ? (0x1005 as UInt32).byteSwapped : 0x1005
    let data = data(
      is64Bit ? bytes(of: word) : bytes(of: half),
      memory: Memory(is64Bit: is64Bit, isByteSwapped: isSwapped))
    #expect(try data.pointedStrings().map(\.string) == ["ab"])
  }

  @Test func relocationsAreApplied() throws {
    let data = data(
      bytes(of: 0, UInt64(0x1000)),
      memory: Memory(relocations: [0x2000: 0x1005], unresolved: [0x2008]))
    let error = error { _ = try data.pointedStrings() }
    #expect(error?.code == .pointerUnresolved && error?.offset == 8)
    let first = self.data(bytes(of: UInt64(0)), memory: Memory(relocations: [0x2000: 0x1005]))
    #expect(try first.pointedStrings().map(\.string) == ["ab"])
  }

  @Test(arguments: [0xfff, 0x100f, 1, UInt64.max])
  func pointerOutside(pointer: UInt64) {
    let error = error { _ = try data(bytes(of: 0, pointer)).pointedStrings() }
    #expect(error?.code == .pointerOutside && error?.offset == 8 && error?.value == pointer)
    #expect(
      error?.description == "/tmp/libfoo.so: names: at offset 8: the pointer "
        + "0x\(String(pointer, radix: 16)) leads out of the image's segments")
  }

  @Test func pointedStringWithoutEnd() {
    let error = error { _ = try data(bytes(of: UInt64(0x1008))).pointedStrings() }
    #expect(error?.code == .unterminated && error?.offset == 0)
  }

  @Test func pointersThatDoNotFit() {
    let uneven = error { _ = try data(bytes(of: UInt64(0x1000)) + [0, 0, 0]).pointedStrings() }
    #expect(uneven?.code == .wrongSize && uneven?.offset == 8 && uneven?.value == 3)
    let misaligned = error {
      _ = try data(bytes(of: UInt64(0x1000)), address: 0x2004).pointedStrings()
    }
    #expect(misaligned?.code == .misaligned && misaligned?.value == 8)
  }

  // MARK: - Records

  private typealias Pair = (UInt64, UInt8)
  private typealias Forty = (UInt64, UInt64, UInt64, UInt64, UInt64)

  @Test func recordsAreRead() throws {
    let numbers = try data(bytes(of: UInt32(1), 2, 3)).records(of: UInt32.self)
    #expect(numbers == [1, 2, 3])
    #expect(try data([]).records(of: UInt64.self) == [])
  }

  /// Swift stores a tuple without its padding; the next one is aligned.
  @Test func lastTupleMayBeShort() throws {
    let whole = bytes(of: Pair(1, 2), Pair(3, 4))
    for bytes in [whole, Array(whole.dropLast(7))] {
      let pairs = try data(bytes, alignment: 8).records(of: Pair.self)
      try #require(pairs.count == 2)
      #expect(pairs[0] == (1, 2) && pairs[1] == (3, 4))
    }
    for cut in [1, 6, 8, 15] {
      let error = error { _ = try data(whole.dropLast(cut)).records(of: Pair.self) }
      #expect(error?.code == .wrongSize && error?.offset == 16)
    }
  }

  /// gcc places records of 40 bytes at multiples of 32. Six of them, with the holes, have
  /// the size of nine.
  @Test func recordsWithHoles() throws {
    let hole = [UInt8](repeating: 0, count: 24)
    let records = (1...6).map { bytes(of: Forty($0, 0, 0, 0, $0)) }
    let contents = Array(records.joined(separator: hole))
    try #require(contents.count == 9 * 40)
    let data = data(contents, alignment: 32)
    let error = error { _ = try data.records(of: Forty.self) }
    #expect(error?.code == .unknownStride && error?.value == 32)
    #expect(try data.records(of: Forty.self, stride: 64).map(\.4) == [1, 2, 3, 4, 5, 6])
    // One after the other, in an array that is aligned.
    let packed = self.data(Array(records.joined()), alignment: 32)
    #expect(try packed.records(of: Forty.self, stride: 40).map(\.0) == [1, 2, 3, 4, 5, 6])
    // A single one may be either.
    #expect(try self.data(records[0], alignment: 32).records(of: Forty.self).map(\.0) == [1])
    // A note does not say the alignment: most sizes give the holes away.
    let unknown = self.data(Array(contents.dropLast(64)))
    #expect(throws: SectionError.self) { try unknown.records(of: Forty.self) }
  }

  @Test func recordsThatDoNotFit() {
    let remainder = error { _ = try data([1, 2, 3, 4, 5]).records(of: UInt32.self) }
    #expect(remainder?.code == .wrongSize && remainder?.offset == 4 && remainder?.value == 1)
    let misaligned = error { _ = try data([1, 2], address: 0x2001).records(of: UInt16.self) }
    #expect(misaligned?.code == .misaligned && misaligned?.value == 2)
    for stride in [-8, 0, 4, 12] {
      let error = error { _ = try data([]).records(of: UInt64.self, stride: stride) }
      #expect(error?.code == .invalidArgument)
    }
    let swapped = error {
      _ = try data([1, 2], memory: Memory(isByteSwapped: true)).records(of: UInt16.self)
    }
    #expect(swapped?.code == .otherByteOrder)
  }
}
