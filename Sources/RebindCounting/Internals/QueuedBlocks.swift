#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import CRebindReach

/// Blocks that tasks put on queues of libdispatch. They run with the values that lead to the scopes of their tasks.
package enum QueuedBlocks {
  /// Begins to follow blocks, for as long as the process lives. To be called where calls are not counted.
  ///
  /// Where libdispatch or Swift's runtime is linked statically, their calls go through no slot, and no block is followed.
  package static let followed: Void = {
    guard crebind_reach_prepare_queues({ crebind_lookup($0) }) else { return }
    var rebindings: [crebind_rebinding] = []
    while let entry = crebind_reach_queue_entry(rebindings.count) {
      var rebinding = crebind_rebinding()
      rebinding.name = entry.pointee.name
      rebinding.replacement = entry.pointee.replacement
      rebinding.original = withUnsafeMutablePointer(to: &entry.pointee.original) { $0 }
      rebindings.append(rebinding)
    }
    // The handle is never given back, as calls may be inside of a replacement at any time.
    var handle: OpaquePointer?
    crebind_apply(rebindings, rebindings.count, nil, &handle, nil, nil)
  }()

  /// The metadata of a task-local's type. C reads values of it.
  package static func type<Value: Sendable>(of _: TaskLocal<Value?>) -> UnsafeRawPointer {
    precondition(
      MemoryLayout<Value?>.size == 2 * MemoryLayout<UnsafeRawPointer>.size,
      "C reads a pointer and a reference")
    return unsafeBitCast(Value?.self as Any.Type, to: UnsafeRawPointer.self)
  }
}
#endif
