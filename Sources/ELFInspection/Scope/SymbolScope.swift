package import RebindFiles

/// The symbols of several images, looked up as a loader does: of a file and its libraries, or of a
/// process.
package struct SymbolScope {
  let kind: LoaderKind
  private let images: [ExportedSymbols?]
  /// The places of the images in the order of lookup.
  private let order: [Int]
  /// Why libraries could not be read, which offer nothing then.
  package let errors: [ELFFileError]

  /// - Parameters:
  ///   - tables: The tables of the images in the order of the scope; nil for an image that offers
  ///     nothing.
  ///   - order: The places of the images in the order of lookup, if that is another one.
  /// - Complexity: O(symbols of all images).
  init(
    _ tables: [SymbolTable?], _ kind: LoaderKind, order: [Int]? = nil, errors: [ELFFileError] = []
  ) {
    self.kind = kind
    self.order = order ?? Array(tables.indices)
    images = tables.map { table in table.map { ExportedSymbols(of: $0) } }
    self.errors = errors
  }

  /// - Complexity: O(symbols of all images).
  package init(of graph: DependencyGraph) {
    var tables: [SymbolTable?] = []
    var errors: [ELFFileError] = []
    for image in graph.images {
      do throws(ELFFileError) {
        tables.append(try SymbolTable(of: image.file))
      } catch {
        tables.append(nil)
        errors.append(error)
      }
    }
    self.init(tables, graph.kind, order: graph.order, errors: errors)
  }

  /// Calls `body` with each image that offers a definition for a reference, in the order of the
  /// scope: the reference is bound to the first, which shadows the others.
  ///
  /// - Parameters:
  ///   - name: The bytes of the name, which ends at its first zero byte and must have one.
  ///   - version: The bytes of the version that is asked for, with the same end; nil for no
  ///     version.
  /// - Complexity: O(images).
  package func forEachOffer(
    of name: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer?,
    _ body: (_ image: Int, _ symbol: Int) -> Void
  ) {
    let hash = ExportedSymbols.hash(name)
    for image in order {
      if let symbol = images[image]?.offer(of: name, hash, version: version, kind) {
        body(image, symbol)
      }
    }
  }

  /// The symbols of an image; nil for one that offers nothing.
  func table(of image: Int) -> SymbolTable? { images[image]?.table }

  /// Calls `body` with the symbols of each image that offers any, in the order of the scope.
  package func forEachTable(_ body: (SymbolTable) -> Void) {
    for image in order { images[image].map { body($0.table) } }
  }

  /// The definition that a loader would bind a reference to; nil for nothing.
  ///
  /// - Parameter isWanted: Says of an image whether it is asked.
  func definition(
    of name: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer?,
    where isWanted: (_ image: Int) -> Bool = { _ in true }
  ) -> Definition? {
    let hash = ExportedSymbols.hash(name)
    for image in order where isWanted(image) {
      if let exported = images[image],
        let symbol = exported.offer(of: name, hash, version: version, kind)
      {
        return Definition(image: image, table: exported.table, symbol: symbol)
      }
    }
    return nil
  }

  /// A symbol that a reference can be bound to.
  struct Definition {
    /// Its place in the scope.
    let image: Int
    let table: SymbolTable
    let symbol: Int

    var entry: SymbolEntry { table[symbol] }

    var version: String? {
      table.versions?.version(of: entry, at: symbol)
        .map { table.strings.string(at: $0.nameOffset) }
    }
  }
}
