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

extension CValue where Self: FixedWidthInteger {
  public static var cType: CType { CType(bitWidth: bitWidth, isSigned: isSigned) }
}

extension Int8: CValue {}
extension UInt8: CValue {}
extension Int16: CValue {}
extension UInt16: CValue {}
extension Int32: CValue {}
extension UInt32: CValue {}
extension Int64: CValue {}
extension UInt64: CValue {}
extension Int: CValue {}
extension UInt: CValue {}
extension Float: CValue { public static var cType: CType { .float } }
extension Double: CValue { public static var cType: CType { .double } }

/// C's `_Bool`.
extension Bool: CValue { public static var cType: CType { .uint8 } }
