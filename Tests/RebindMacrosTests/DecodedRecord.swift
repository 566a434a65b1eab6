import CRebind
import TestSupport

/// A record of a file's section `rebind_annotations`, as the core reads it.
struct DecodedRecord: Hashable, CustomStringConvertible {
  var group: String
  var key: String
  var value: String
  var priority: Int32
  var line: UInt32
  var fault: crebind_record_fault.RawValue

  var description: String {
    fault == 0 ? "\(group) \(key) '\(value)' \(priority)" : "fault \(fault)"
  }

  /// The records of an object file, with one section, or of a linked image, in their order.
  static func all(in file: URL) throws -> [Self] {
    let scratch = try TemporaryDirectory()
    let section = scratch.url.appending(path: "section")
    let result = try run(
      "objcopy",
      ["-O", "binary", "--only-section=rebind_annotations", file.path, section.path])
    guard result.succeeded else {
      throw CompilationFailure(command: "objcopy", output: result.errorOutput)
    }
    return try all(of: Data(contentsOf: section))
  }

  /// The records of a section with these contents.
  static func all(of contents: Data) -> [Self] {
    let format = crebind_record_format(
      is_64_bit: MemoryLayout<Int>.size == 8, is_swapped: false)
    return contents.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      withUnsafeTemporaryAllocation(of: crebind_record.self, capacity: 1) { memory in
        guard let start = bytes.baseAddress, let record = memory.baseAddress else { return [] }
        var records: [Self] = []
        var offset = 0
        while crebind_next_record(start, bytes.count, format, offset, record) {
          records.append(Self(record.pointee))
          offset = record.pointee.offset + record.pointee.size
        }
        return records
      }
    }
  }

  private init(_ record: crebind_record) {
    group = String(cString: record.group)
    key = String(cString: record.key)
    value = String(cString: record.value)
    priority = record.priority
    line = record.line
    fault = record.fault.rawValue
  }
}
