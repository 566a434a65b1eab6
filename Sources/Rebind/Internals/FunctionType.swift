#if os(Linux) && !REBIND_ELSEWHERE
/// True for a `@convention(c)` function type.
///
/// A type's metadata is part of Swift's ABI. It is a word with the kind, then for a function a word
/// with flags. Bits 16 to 23 of these are the calling convention (`TargetFunctionTypeFlags` in the
/// runtime's MetadataValues.h).
func isCFunctionType(_ type: Any.Type) -> Bool {
  let functionKind = 0x302
  let cConvention = 3
  let metadata = unsafeBitCast(type, to: UnsafePointer<Int>.self)
  return metadata[0] == functionKind && metadata[1] >> 16 & 0xff == cConvention
}

/// The function at an address. A C function pointer is an address; that `Function` is
/// one has been checked by `isCFunctionType`.
@inlinable
internal func function<Function: BitwiseCopyable>(
  at address: UnsafeMutableRawPointer, as type: Function.Type = Function.self
) -> Function {
  unsafeBitCast(address, to: type)
}

/// The address of a function that has been checked by `isCFunctionType`.
func address<Function: BitwiseCopyable>(of function: Function) -> UnsafeMutableRawPointer {
  unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
}
#endif
