import Rebind
import RebindFiles

extension ProcessScope {
  /// The pointers to code in an image's relro range that lead elsewhere than the linker said: hooks in
  /// tables of functions, such as a C++ vtable. Nothing is compared if the file is not proven to be
  /// the image's.
  ///
  /// Such a word has a relocation without a symbol (`R_*_RELATIVE`), and holds the load bias and the
  /// addend once the loader is done. Words that do not lead to code are the program's to assign before
  /// the range is closed.
  ///
  /// - Complexity: O(relocations).
  func rewrittenPointers(of image: LoadedImage) throws(ELFFileError) -> [ProcessFinding] {
    guard let file = image.file, let type = RelocationRules.relativeType(of: image.image.machine),
      let relro = image.image.segments.first(where: { $0.type == .relro }),
      let dynamic = try DynamicEntries(of: file)
    else { return [] }
    let stored = try SegmentBytes(of: file)
    let elfClass = image.image.elfClass
    var words = ProcessWords(image.image)
    var findings: [ProcessFinding] = []
    func look(at address: UInt64, addend: Int64?) {
      guard relro.contains(address), let inPlace = stored.word(at: address) else { return }
      let linked = addend.map { elfClass.wrapped(UInt64(bitPattern: $0)) } ?? inPlace
      let expected = elfClass.wrapped(linked &+ image.image.loadBias)
      // The loader has yet to relocate a word that is as in the file.
      guard image.containsCode(expected), let word = words.word(at: address), word != expected,
        word != inPlace
      else { return }
      var finding = ProcessFinding(.rewrittenPointer)
      finding.address = address
      finding.symbol = image.symbol(at: elfClass.wrapped(address &+ image.image.loadBias))?.name
      finding.target = target(at: word)
      finding.expected = target(at: expected)
      findings.append(finding)
    }
    for table in try file.dynamicRelocationTables(dynamic) where !table.isPacked {
      if table.kind == .relative {
        for address in table.relativeAddresses { look(at: address, addend: nil) }
        continue
      }
      for index in 0..<table.count {
        let entry = table[index]
        if entry.type == type, entry.symbol == 0 { look(at: entry.address, addend: entry.addend) }
      }
    }
    return findings
  }
}
