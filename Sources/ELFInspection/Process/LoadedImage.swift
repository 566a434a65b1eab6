import Rebind
package import RebindFiles

/// An image of a process with its tables: those in memory, and those of its file if that is proven
/// to be the image's.
package final class LoadedImage {
  package let image: ProcessImage
  /// The file in memory.
  package let loaded: ELFFile
  /// Nil if the file cannot be read or is another one.
  package let file: ELFFile?
  /// Its place in the loader's list, in which the program is 0; nil if it is not in there, as the
  /// image of another copy of the loader.
  package internal(set) var order: Int?
  /// The namespace that it was loaded into, 0 for the program's; nil if the loader does not know of
  /// it. The corresponding call is `dlmopen`.
  package internal(set) var namespace: Int?
  /// The run-time address of the loader's entry for it; nil if it has none.
  var entry: UInt64?
  /// The path by which the loader found it, which may be a link; nil if the loader has none for it.
  package internal(set) var listedPath: FilePath?
  /// True if it was loaded before the program started, and so is in front of what was loaded later
  /// wherever the loader looks for a symbol of such an image.
  package internal(set) var isFromStart = false
  /// True if it was loaded in front of what the program needs, by `LD_PRELOAD` or the like.
  package internal(set) var isPreloaded = false
  /// True for the loader, where that is no library too. A rebinding leaves its slots alone.
  package internal(set) var isLoader = false
  package let isVDSO: Bool
  /// True for a library of `LD_AUDIT`, which the loader asks how it binds symbols: it is in a
  /// namespace of its own, and defines what the loader calls first.
  private(set) package lazy var isAuditor =
    (namespace ?? 0) > 0 && (places?.defines("la_version") ?? false)
  /// The symbols in memory; nil without any, or if their tables are broken.
  package let loadedSymbols: SymbolTable?
  /// The symbols of the file if it is proven, otherwise the symbols in memory. They say where the
  /// definitions are, even if somebody has changed the table in memory.
  package let symbols: SymbolTable?

  private(set) lazy var places: SymbolPlaces? = symbols.map { SymbolPlaces(of: $0) }
  /// The symbols that a linker reads; nil if they are stripped or broken, or if the file is not proven.
  private lazy var linkersPlaces: SymbolPlaces? =
    (file.flatMap { try? SymbolTable(ofLinkersIn: $0) } ?? nil).map { SymbolPlaces(of: $0) }
  /// The entries for the loader, in memory; empty if it has no table, or a broken one.
  private(set) lazy var table = ((try? loaded.dynamicTable) ?? nil) ?? DynamicTable()

  init(_ image: ProcessImage, isVDSO: Bool = false) {
    self.image = image
    self.isVDSO = isVDSO
    loaded = ELFFile(loaded: image)
    file = isVDSO ? nil : image.provenFile
    // Callers that ask for more than definitions get the error.
    loadedSymbols = (try? SymbolTable(of: loaded)) ?? nil
    symbols = (file.flatMap { try? SymbolTable(of: $0) } ?? nil) ?? loadedSymbols
  }

  /// The symbols in memory; nil without any. Throws if their tables are broken.
  package func checkedSymbols() throws(ELFFileError) -> SymbolTable? {
    if let loadedSymbols { return loadedSymbols }
    return try SymbolTable(of: loaded)
  }

  /// The run-time address of the dynamic table.
  var tableAddress: UInt64? {
    image.segments.first { $0.type == .dynamic }
      .map { image.elfClass.wrapped($0.address &+ image.loadBias) }
  }

  /// The symbol that a run-time address is in: one that others can bind to, or else one that only the file's
  /// linker knew, such as a static function. Nil if none covers it.
  func symbol(
    at address: UInt64, hint: UnsafePointer<CChar>? = nil
  ) -> (name: String, offset: UInt64)? {
    places?.symbol(at: linked(address), hint: hint)
      ?? linkersPlaces?.symbol(at: linked(address), hint: hint)
  }

  /// True if a run-time address lies in one of its segments.
  package func contains(_ address: UInt64) -> Bool {
    let linked = linked(address)
    return image.segments.contains { $0.type == .load && $0.contains(linked) }
  }

  /// True if a part of the run-time addresses, which are not empty, lies in one of its segments.
  func overlaps(_ range: Range<UInt64>) -> Bool {
    let (first, last) = (linked(range.lowerBound), linked(range.upperBound - 1))
    return image.segments.contains {
      $0.type == .load && !$0.addresses.isEmpty && $0.addresses.lowerBound <= last
        && $0.addresses.upperBound > first
    }
  }

  /// True if a run-time address lies in one that is executable.
  func containsCode(_ address: UInt64) -> Bool {
    let linked = linked(address)
    return image.segments.contains {
      $0.type == .load && $0.permissions.contains(.execute) && $0.contains(linked)
    }
  }

  /// The link-time address for a run-time one.
  package func linked(_ address: UInt64) -> UInt64 {
    image.elfClass.wrapped(address &- image.loadBias)
  }
}

extension LoadedImage {
  /// The identifier of the build, by the notes in memory, as hexadecimal digits; nil if they have
  /// none.
  package var buildID: String? { ((try? loaded.buildID) ?? nil).map { "\($0)" } }

  /// The name that others ask for it by; nil for none. The corresponding tag is `DT_SONAME`.
  package var soname: String? { table.soname }

  /// The loader that it asks for; nil if it asks for none. The corresponding segment is `PT_INTERP`.
  package var interpreter: String? { (try? loaded.interpreter) ?? nil }

  /// The program headers in memory, with the sections of the file if it is proven to be the image's.
  ///
  /// - Complexity: O(segments · sections).
  package var segmentTable: [FileSegment] {
    get throws(ELFFileError) {
      let sections = try file?.segmentTable.map(\.sections)
      return image.segments.indices.map { index in
        FileSegment(
          index: index, segment: image.segments[index],
          physicalAddress: image.physicalAddresses[index], sections: sections?[index] ?? [])
      }
    }
  }

  /// The names that others call it by: its soname, if any, file name and path, as if its file was
  /// not gone, and the link that led to it.
  package var names: [String] { namesOfItsOwn + fileNames }

  /// The names that other files seldom have: the image's soname and paths.
  var namesOfItsOwn: [String] { ([soname] + paths.map(\.text)).compactMap { $0 } }

  /// The names that files in other folders may have, too.
  var fileNames: Set<String> { Set(paths.map(\.lastComponent)) }

  private var paths: [FilePath] {
    [FilePath(image.mapping.pathOfFile), listedPath].compactMap { $0 }
  }

  /// True if a name, or a path of its file, is its own.
  package func isNamed(_ name: FilePath) -> Bool {
    let names = names
    return names.contains(name.text) || name.resolved.map { names.contains($0.text) } ?? false
  }
}
