internal import CRebind
import Rebind

/// Reads the records of a section. Documentation/ABI/Annotations.md describes them.
package enum AnnotationRecords {
  /// The place that the word of an accessor points to.
  package enum Target {
    case none
    /// In an executable segment.
    case address(UInt64)
    /// It is not known yet.
    case unresolved
    /// The address lies outside the image's code, so it is no accessor.
    case outside
  }

  /// Adds the records of a section's bytes, and the faults.
  ///
  /// - Parameter target: Called with the word of each accessor, and its offset in the section.
  package static func read(
    _ bytes: [UInt8], _ elfClass: ELFClass, _ byteOrder: ByteOrder, group: String?,
    into found: inout FileAnnotations, target: (UInt64, Int) -> Target
  ) {
    let format = crebind_record_format(
      is_64_bit: elfClass == .bits64, is_swapped: byteOrder != .host)
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      let place = UnsafeMutablePointer<crebind_record>.allocate(capacity: 1)
      defer { place.deallocate() }
      var offset = 0
      while crebind_next_record(start, bytes.count, format, offset, place) {
        let record = place.pointee
        // Never stands still.
        offset = max(offset + 1, record.offset + record.size)
        guard record.fault == CREBIND_RECORD_VALID else {
          found.faults.append(
            fault(record, AnnotationFault.Reason(rawValue: record.fault.rawValue)))
          continue
        }
        let accessor: FileAnnotation.Accessor?
        switch target(record.accessor, record.offset + 16) {
        case .none: accessor = nil
        case .address(let address): accessor = .address(address)
        case .unresolved: accessor = .unresolved
        case .outside:
          found.faults.append(fault(record, .accessor))
          continue
        }
        let annotation = FileAnnotation(
          group: String(cString: record.group), key: String(cString: record.key),
          value: String(cString: record.value), priority: record.priority,
          line: record.line == 0 ? nil : Int(record.line), accessor: accessor,
          offset: record.offset)
        if group == nil || group == annotation.group { found.annotations.append(annotation) }
      }
    }
  }

  private static func fault(
    _ record: crebind_record, _ reason: AnnotationFault.Reason
  ) -> FileAnnotationFault {
    FileAnnotationFault(reason: reason, offset: record.offset, size: record.size)
  }
}
