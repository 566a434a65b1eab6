import RebindAnnotations
import Reading

// Prints the records of this program, and what their accessors answer.
read_records { record in
  guard let record = record?.pointee else { return }
  guard record.fault == CREBIND_RECORD_VALID else { return print("fault", record.fault.rawValue) }
  var line = "\(String(cString: record.group)) \(String(cString: record.key))"
  line += " '\(String(cString: record.value))' \(record.priority)"
  if let accessor = UnsafeRawPointer(bitPattern: UInt(record.accessor)) {
    let accessor = unsafeBitCast(accessor, to: AnnotationAccessor.self)
    withUnsafeTemporaryAllocation(of: Any.Type.self, capacity: 1) { memory in
      guard accessor(AnnotationRequest.type.rawValue, memory.baseAddress!) else { return }
      line += ", type \(memory[0])"
    }
    withUnsafeTemporaryAllocation(of: Any.self, capacity: 1) { memory in
      guard accessor(AnnotationRequest.instance.rawValue, memory.baseAddress!) else { return }
      line += ", instance \(memory[0])"
      memory.deinitialize()
    }
  }
  print(line)
}
