#if os(Linux) && !REBIND_ELSEWHERE
/// An entry of an image's dynamic symbol table: an export or an import.
///
/// The corresponding C type is `ElfW(Sym)`.
public struct Symbol: Sendable, Hashable {
  /// The index in the table, from 1: index 0 is the null symbol.
  public var index: Int
  /// Mangled where the language mangles it: `st_name`.
  public var name: String
  /// The version that the image defines it with, or asks for; nil for none. From
  /// `DT_VERSYM`.
  public var version: String?
  /// True for a definition that a reference without a version may take, written
  /// `name@@VERSION`.
  public var isDefaultVersion: Bool
  /// The kind of thing that the symbol names, from `st_info`.
  public var type: SymbolType
  /// Its binding: which images can see it, and which definition wins, from `st_info`.
  public var binding: SymbolBinding
  /// Whether other images may bind to it, from `st_other`.
  public var visibility: SymbolVisibility
  /// For a definition its link-time address: add the load bias. `st_value`.
  public var value: UInt64
  /// In bytes; 0 for unknown. `st_size`.
  public var size: UInt64
  /// The section that it is defined in: `st_shndx`.
  public var sectionIndex: UInt16

  /// Describes an entry of a symbol table.
  package init(
    index: Int, name: String, version: String? = nil, isDefaultVersion: Bool = false,
    type: SymbolType, binding: SymbolBinding, visibility: SymbolVisibility, value: UInt64,
    size: UInt64, sectionIndex: UInt16
  ) {
    self.index = index
    self.name = name
    self.version = version
    self.isDefaultVersion = isDefaultVersion
    self.type = type
    self.binding = binding
    self.visibility = visibility
    self.value = value
    self.size = size
    self.sectionIndex = sectionIndex
  }

  /// False for a symbol that the image asks for: its section is `SHN_UNDEF`.
  public var isDefined: Bool { sectionIndex != 0 }

  /// The name as linkers write it: `open@@GLIBC_2.2.5` for a default version,
  /// `memcpy@GLIBC_2.2.5` for another one and for a reference.
  public var versionedName: String {
    guard let version else { return name }
    return name + (isDefaultVersion ? "@@" : "@") + version
  }
}

extension Symbol: CustomStringConvertible {
  /// `open@@GLIBC_2.2.5 FUNC WEAK DEFAULT at 0xf7fc0, 296 bytes`.
  public var description: String {
    let place = isDefined ? "at \(hexadecimal(value)), \(size) bytes" : "undefined"
    return "\(versionedName) \(type) \(binding) \(visibility) \(place)"
  }
}
#endif
