import Rebind
package import RebindFiles

extension ProcessScope {
  /// The image that a file is compared with: of the same build, or else at its path, as the file
  /// may have been replaced since. Nil if the process has no such image.
  package func image(of file: ELFFile) throws(ELFFileError) -> LoadedImage? {
    if let buildID = try file.buildID?.description,
      let image = ordinaryImages.first(where: { $0.buildID == buildID })
    {
      return image
    }
    let path = (file.reader.path.resolved ?? file.reader.path).bytes
    return ordinaryImages.first { $0.image.mapping.pathOfFile == path }
  }

  /// The differences between a file and an image, by kind and name. The image is read in memory:
  /// facts that memory does not show are not compared.
  ///
  /// Rebound words differ in their value: slots, and the definitions for images that come.
  ///
  /// - Throws: `ELFFileError` if one of them contradicts itself, or if the image is gone.
  /// - Complexity: O(*n* log *n*), where *n* is the number of symbols and relocations of both.
  package func changes(
    from file: ELFFile, to image: LoadedImage, of kinds: Set<FileChange.Kind>
  ) throws(ELFFileError) -> [FileChange] {
    var changes = try file.changes(to: image.loaded, of: kinds)
      .filter { $0.after != FileFacts.unknown }
    if kinds.contains(.exportValue) {
      changes += redirectedSymbols(of: image).map {
        FileChange(.exportValue, of: $0, named: $0.versionedSymbol)
      }
    }
    if kinds.contains(.slotValue) {
      changes += try foreignSlots(of: image).filter { $0.kind == .reboundSlot }.map {
        FileChange(
          .slotValue, of: $0, named: "\(hexadecimal($0.address ?? 0)):\($0.versionedSymbol)")
      }
    }
    return changes
  }
}

extension FileChange {
  /// The change of a word that leads elsewhere than where the loader would lead it.
  fileprivate init(_ kind: Kind, of finding: ProcessFinding, named name: String) {
    self.init(
      kind: kind, name: name, before: finding.expected?.text ?? "", after: finding.target?.text,
      effect: .neutral)
  }
}

extension ProcessFinding {
  /// `open@GLIBC_2.2.5`.
  fileprivate var versionedSymbol: String {
    (symbol ?? "") + (version.map { "@\($0)" } ?? "")
  }
}
