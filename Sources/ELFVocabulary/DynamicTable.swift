#if os(Linux) && !REBIND_ELSEWHERE
/// The entries of an image's `PT_DYNAMIC` array, up to the one that ends it; the loader reads them.
///
/// The corresponding C type is `ElfW(Dyn)[]`.
public struct DynamicTable: Sendable, Hashable {
  /// A tag and its value.
  public struct Entry: Sendable, Hashable {
    /// The meaning of the entry: `d_tag`.
    public var tag: DynamicTag
    /// `d_val` or `d_ptr`; an address as the linker wrote it, without a load bias.
    public var value: UInt64
    /// The string that the value names, for the tags that name one; else nil.
    public var string: String?

    /// Describes an entry of an image or of a file.
    package init(tag: DynamicTag, value: UInt64, string: String? = nil) {
      self.tag = tag
      self.value = value
      self.string = string
    }
  }

  /// In the order of the image.
  public var entries: [Entry]

  /// Takes the entries up to the one that ends the table, which is left out.
  package init(entries: [Entry] = []) { self.entries = entries }

  /// The first entry with this tag, which for most tags is the only one.
  ///
  /// - Complexity: O(entries); an image has about thirty.
  public subscript(tag: DynamicTag) -> Entry? { entries.first { $0.tag == tag } }

  /// The strings of all entries with this tag.
  public func strings(_ tag: DynamicTag) -> [String] {
    entries.filter { $0.tag == tag }.compactMap(\.string)
  }

  /// The libraries that the image needs, by soname, from `DT_NEEDED`.
  public var needed: [String] { strings(.needed) }

  /// The name that other images need this one by, from `DT_SONAME`.
  public var soname: String? { self[.soname]?.string }

  /// Where the image's libraries are looked for, from `DT_RUNPATH`, or else
  /// `DT_RPATH`, which the loader ignores beside the former. Split at colons.
  public var searchPath: [String] {
    let text = self[.runPath]?.string ?? self[.rpath]?.string ?? ""
    return text.split(separator: ":").map(String.init)
  }

  /// From `DT_FLAGS`; empty without it.
  public var flags: DynamicFlags { DynamicFlags(rawValue: self[.flags]?.value ?? 0) }

  /// From `DT_FLAGS_1`; empty without it.
  public var flags1: DynamicFlags1 { DynamicFlags1(rawValue: self[.flags1]?.value ?? 0) }

  /// True if all jump slots are bound at load, by `DT_BIND_NOW`, `DF_BIND_NOW` or
  /// `DF_1_NOW`.
  public var bindsNow: Bool {
    self[.bindNow] != nil || flags.contains(.bindNow) || flags1.contains(.bindNow)
  }
}

extension DynamicTable.Entry: CustomStringConvertible {
  /// The tag and what its value means: `NEEDED libc.so.6`, `FLAGS_1 NOW PIE`.
  public var description: String {
    if let string { return "\(tag) \(string)" }
    switch tag {
    case .flags: return "\(tag) \(DynamicFlags(rawValue: value))"
    case .flags1: return "\(tag) \(DynamicFlags1(rawValue: value))"
    case .jumpSlotRelocationsKind:
      return "\(tag) \(DynamicTag(rawValue: Int64(truncatingIfNeeded: value)))"
    case .jumpSlotRelocationsSize, .addendRelocationsSize, .addendRelocationSize,
      .stringTableSize, .symbolSize, .relocationsSize, .relocationSize, .initializersSize,
      .finalizersSize, .preinitializersSize, .relativeRelocationsSize, .relativeRelocationSize,
      .androidRelocationsSize, .androidAddendRelocationsSize, .androidRelativeRelocationsSize,
      .androidRelativeRelocationSize:
      return "\(tag) \(value) bytes"
    case .relativeAddendRelocationCount, .relativeRelocationCount, .definedVersionCount,
      .neededVersionCount:
      return "\(tag) \(value)"
    case .symbolic, .textRelocations, .bindNow, .null: return "\(tag)"
    default: return "\(tag) \(hexadecimal(value))"
    }
  }
}

extension DynamicTable: CustomStringConvertible {
  /// `dynamic table of 30 entries`; print `entries` to see them.
  public var description: String { "dynamic table of \(entries.count) entries" }
}
#endif
