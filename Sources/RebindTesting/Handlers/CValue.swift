/// A type that a C function can take or return, with the same bytes in C and Swift.
///
/// Integers, `Float`, `Double`, `Bool` and pointers, optional or not, conform. A
/// function pointer is taken as an `UnsafeRawPointer` or `OpaquePointer`. A C
/// structure conforms to ``CStructure``. A C enumeration needs nothing more than its declaration:
///
/// ```swift
/// extension crebind_status: @retroactive CValue {}
/// ```
///
/// A type that a function takes or returns is bitwise copyable, too. C's are, and so is a
/// structure of your own with such fields; where it is public, it says so.
public protocol CValue {
  /// How C passes the type.
  static var cType: CType { get }
}

extension CValue where Self: RawRepresentable, RawValue: CValue {
  public static var cType: CType { RawValue.cType }
}

extension Int8: CValue { public static var cType: CType { .int8 } }
extension UInt8: CValue { public static var cType: CType { .uint8 } }
extension Int16: CValue { public static var cType: CType { .int16 } }
extension UInt16: CValue { public static var cType: CType { .uint16 } }
extension Int32: CValue { public static var cType: CType { .int32 } }
extension UInt32: CValue { public static var cType: CType { .uint32 } }
extension Int64: CValue { public static var cType: CType { .int64 } }
extension UInt64: CValue { public static var cType: CType { .uint64 } }
extension Int: CValue { public static var cType: CType { .int64 } }
extension UInt: CValue { public static var cType: CType { .uint64 } }
extension Float: CValue { public static var cType: CType { .float } }
extension Double: CValue { public static var cType: CType { .double } }

/// C's `_Bool`.
extension Bool: CValue { public static var cType: CType { .uint8 } }
