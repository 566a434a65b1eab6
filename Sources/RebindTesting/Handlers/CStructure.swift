/// A small C structure that functions take or return by value.
///
/// State the fields' types, in the order of the C declaration:
///
/// ```swift
/// extension div_t: @retroactive CStructure {
///   public static var cFields: [any CValue.Type] { [CInt.self, CInt.self] }
/// }
/// ```
///
/// An array field is stated as that many fields. Unions and bit fields cannot be
/// stated. Before anything is rebound, the size and alignment that C gives these
/// fields are compared with those of the type, and structures of more than 32 bytes
/// are refused.
public protocol CStructure: CValue {
  /// The types of the fields, in the order of the C declaration.
  static var cFields: [any CValue.Type] { get }
}

extension CStructure {
  public static var cType: CType { CType(fields: cFields.map { $0.cType }) }
}
