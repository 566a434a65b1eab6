#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// A type of C, as a function takes and returns it: what a ``CValue``'s own type tells. A structure's follows from
/// its ``CStructure/cFields``.
public struct CType: Sendable, Hashable {
  /// Its `crebind_testing_type`; several for a structure.
  let codes: [UInt8]

  private init(_ type: crebind_testing_type) { codes = [type.rawValue] }

  /// A structure with these fields, in order.
  init(fields: [CType]) {
    codes =
      [CREBIND_TESTING_STRUCTURE.rawValue] + fields.flatMap(\.codes)
      + [CREBIND_TESTING_END.rawValue]
  }

  /// `int8_t`, and `signed char`.
  static let int8 = CType(CREBIND_TESTING_SINT8)
  /// `uint8_t`, `unsigned char` and `_Bool`.
  static let uint8 = CType(CREBIND_TESTING_UINT8)
  /// `int16_t`, and `short`.
  static let int16 = CType(CREBIND_TESTING_SINT16)
  /// `uint16_t`, and `unsigned short`.
  static let uint16 = CType(CREBIND_TESTING_UINT16)
  /// `int32_t`, and `int`.
  static let int32 = CType(CREBIND_TESTING_SINT32)
  /// `uint32_t`, and `unsigned int`.
  static let uint32 = CType(CREBIND_TESTING_UINT32)
  /// `int64_t`, and `long`.
  static let int64 = CType(CREBIND_TESTING_SINT64)
  /// `uint64_t`, and `unsigned long`.
  static let uint64 = CType(CREBIND_TESTING_UINT64)
  /// `float`.
  static let float = CType(CREBIND_TESTING_FLOAT)
  /// `double`.
  static let double = CType(CREBIND_TESTING_DOUBLE)
  /// A pointer to anything, a function included.
  static let pointer = CType(CREBIND_TESTING_POINTER)

  /// An integer of 8, 16, 32 or 64 bits.
  init(bitWidth: Int, isSigned: Bool) {
    self =
      switch bitWidth {
      case 8: isSigned ? .int8 : .uint8
      case 16: isSigned ? .int16 : .uint16
      case 32: isSigned ? .int32 : .uint32
      default: isSigned ? .int64 : .uint64
      }
  }

  /// The result of a function that returns nothing.
  static let void = CType(CREBIND_TESTING_VOID)

  /// The size and alignment that C gives the type; nil for a structure without
  /// fields.
  var layout: (size: Int, alignment: Int)? {
    let layout = codes.withUnsafeBufferPointer { codes in
      codes.withMemoryRebound(to: crebind_testing_type.self) {
        crebind_testing_layout_of($0.baseAddress!, $0.count)
      }
    }
    return layout.size == 0 ? nil : (layout.size, layout.alignment)
  }
}
#endif
