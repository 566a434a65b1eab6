#if Macros

import RebindMacros
import TestSupport

/// Records that are written by hand.
@Suite(.needsMacros, .measured, .notInCheck) struct RecordLayoutTests {
  @Test func recordsAreLaidOutAsInC() {
    #expect(MemoryLayout<AnnotationRecord<16>>.size == 40)
    #expect(MemoryLayout<AnnotationRecord<16>>.alignment == 8)
    #expect(MemoryLayout<AnnotationRecord<16>>.offset(of: \.accessor) == 16)
    #expect(MemoryLayout<AnnotationRecordWithAccessor<16>>.offset(of: \.strings) == 24)
    #expect(MemoryLayout<AnnotationRecordWithAccessor<16>>.size == 40)
    // The size counts, not the stride: that is why the strings have to be padded.
    #expect(MemoryLayout<AnnotationRecord<13>>.size == 37)
    #expect(MemoryLayout<AnnotationRecord<13>>.stride == 40)
  }

  @Test func requestsAreThoseOfC() throws {
    let header = try String(
      contentsOf: Places.package.appending(
        path: "Sources/CRebindAnnotations/include/RebindAnnotations.h"), encoding: .utf8)
    for (name, request) in [
      ("TYPE", AnnotationRequest.type), ("INSTANCE", .instance), ("POINTER", .pointer),
    ] {
      #expect(header.contains("REBIND_REQUEST_\(name) = \(request.rawValue),"))
    }
  }

  /// A record that is not padded is one if another one follows: the linker pads it. The last
  /// one of a section is cut short.
  @Test(arguments: LinkedRecordTests.linkers)
  func anUnpaddedRecordIsCutShortAtTheEnd(linker: String) throws {
    let objects = try DeclaringObjects.compiled(.debug)
    let source = """
      import RebindAnnotations

      @section("rebind_annotations") @used private let unpadded: AnnotationRecord<13> = (
        magic: 0x3141_4252, size: 40, priority: 0, line: 1, accessor: 0,
        strings: [0x6c, 0x69, 0x6e, 0x6b, 0x65, 0x64, 0, 0x73, 0x68, 0x6f, 0x72, 0x74, 0]
      )
      """.replacing("0x74, 0]", with: "0, 0]")
    let name = "unpadded-\(linker)"
    try Data("\(source)\n".utf8).write(to: objects.folder.appending(path: "\(name).swift"))
    try objects.swiftc(
      ["-parse-as-library", "-c", "-I", Places.products.appending(path: "Modules").path]
        + ["\(name).swift"])
    for (output, inputs, faults) in [
      ("first", ["\(name).o", "declaring.o"], []), ("last", ["declaring.o", "\(name).o"], [4]),
    ] as [(String, [String], [UInt32])] {
      let file = "\(name)-\(output).so"
      try objects.swiftc(["-emit-library", "-use-ld=\(linker)", "-o", file] + inputs)
      let records = try DecodedRecord.all(in: objects.folder.appending(path: file))
      #expect(records.map(\.fault).filter { $0 != 0 } == faults)
      #expect(records.contains { $0.key == "c" })
      #expect(records.contains { $0.key == "shor" } == faults.isEmpty)
    }
  }

  /// A record in Swift cannot have these, and has numbers instead.
  @Test(arguments: [
    ("String", #""text""#), ("StaticString", #""text""#), ("Int?", "nil"),
    ("UnsafeRawPointer?", "nil"), ("Int.Type", "Int.self"), ("Int", "other"),
  ])
  func theCompilerRefusesOtherValues(type: String, value: String) throws {
    let result = try compileSwift(
      """
      private let other = 1
      @section("rebind_annotations") @used private let record: \(type) = \(value)
      """)
    #expect(!result.succeeded)
    #expect(result.errorOutput.contains("error:"))
    #expect(result.errorOutput.contains(/const|compile-time|section/))
  }

  /// Answers go where the registry has memory for them, and nowhere without it.
  @Test func answersAreStored() {
    func ask<Result>(
      _ request: AnnotationRequest, _ type: Result.Type,
      _ answer: (AnnotationRequest, UnsafeMutableRawPointer) -> Bool
    ) -> Result? {
      withUnsafeTemporaryAllocation(of: Result.self, capacity: 1) { memory in
        guard answer(request, UnsafeMutableRawPointer(memory.baseAddress!)) else { return nil }
        return memory.moveElement(from: 0)
      }
    }
    #expect(ask(.type, Any.Type.self) { $0.answer(with: Int.self, at: $1) } == Int.self)
    #expect(ask(.instance, Any.self) { $0.answer(with: Int.self, at: $1) } == nil)
    #expect(ask(.type, Any.Type.self) { $0.answer(with: Made.self, at: $1) } == Made.self)
    #expect(ask(.instance, Any.self) { $0.answer(with: Made.self, at: $1) } is Made)
    #expect(ask(.pointer, Any.self) { $0.answer(with: Made.self, at: $1) } == nil)
    #expect(ask(.instance, Any.self) { $0.answer(creating: { [1] }, at: $1) } as? [Int] == [1])
    #expect(ask(.type, Any.Type.self) { $0.answer(creating: { [1] }, at: $1) } == nil)
    let pointer = UnsafeMutableRawPointer(bitPattern: 16)!
    #expect(
      ask(.pointer, UnsafeMutableRawPointer.self) { $0.answer(with: pointer, at: $1) } == pointer)
    #expect(ask(.type, Any.Type.self) { $0.answer(with: pointer, at: $1) } == nil)
    #expect(
      ask(AnnotationRequest(rawValue: 9), Any.self) { $0.answer(with: Made.self, at: $1) } == nil)
  }
}

private struct Made: AnnotationCreatable {}

#endif
