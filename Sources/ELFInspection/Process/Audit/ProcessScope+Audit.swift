import Glibc
import Rebind
package import RebindFiles

extension ProcessScope {
  /// The words of an image that differ from what its file and the loader made.
  ///
  /// - Throws: `ELFFileError` if the image's tables contradict themselves, or if it is gone.
  /// - Complexity: O((symbols + relocations) log symbols), and with the first finding of a slot
  ///   O(symbols of all images).
  package func audit(_ image: LoadedImage) throws(ELFFileError) -> [ProcessFinding] {
    var findings: [ProcessFinding] = []
    if image.isVDSO { return modifiedVDSO(image) }
    if image.isPreloaded { findings.append(ProcessFinding(.preloadedImage)) }
    if image.isAuditor { findings.append(ProcessFinding(.auditingImage)) }
    if let kind = fileFinding(of: image) { findings.append(ProcessFinding(kind)) }
    findings += writableCode(of: image)
    findings += modifiedCode(of: image)
    findings += openRelro(of: image)
    findings += redirectedSymbols(of: image)
    findings += try rewrittenPointers(of: image)
    let tables = redirectedTables(of: image)
    findings += tables
    do throws(ELFFileError) {
      findings += try foreignSlots(of: image)
    } catch {
      // A table that is found elsewhere may be none.
      if tables.isEmpty { throw error }
    }
    return findings
  }

  // MARK: - Slots and symbols

  func foreignSlots(of image: LoadedImage) throws(ELFFileError) -> [ProcessFinding] {
    guard let found = try slots(of: image) else { return [] }
    var findings: [ProcessFinding] = []
    for slot in found.slots {
      guard let target = slot.target else { continue }
      let kind: ProcessFinding.Kind
      switch slot.state {
      case .rebound: kind = .reboundSlot
      case .original:
        guard let holder = target.image, holder.isPreloaded, holder !== image else { continue }
        kind = .interposedSlot
      default: continue
      }
      let symbol = found.symbols[slot.slot.symbol]
      let version = found.symbols.versions?.version(of: symbol, at: slot.slot.symbol)
      var finding = ProcessFinding(kind)
      finding.address = slot.slot.address
      finding.symbol = text(found.symbols.name(of: symbol))
      finding.version = version.map { text(found.symbols.strings.bytes(from: $0.nameOffset)) }
      finding.target = target
      finding.expected = expected(symbol, slot.slot.symbol, in: found.symbols)
      // A preloaded library's definition that nobody else has interposes nothing.
      if kind == .interposedSlot, finding.expected == nil { continue }
      findings.append(finding)
    }
    return findings
  }

  func redirectedSymbols(of image: LoadedImage) -> [ProcessFinding] {
    guard image.file != nil, let symbols = image.symbols, let loaded = image.loadedSymbols
    else { return [] }
    var findings: [ProcessFinding] = []
    for index in symbols.indices where index < loaded.count {
      let (symbol, current) = (symbols[index], loaded[index])
      guard symbol.value != current.value || symbol.type != current.type else { continue }
      var finding = ProcessFinding(.redirectedSymbol)
      finding.address = symbol.value
      finding.symbol = text(symbols.name(of: symbol))
      finding.version = symbols.versions?.version(of: symbol, at: index)
        .map { text(symbols.strings.bytes(from: $0.nameOffset)) }
      let address = image.image.elfClass.wrapped(current.value &+ image.image.loadBias)
      finding.target = target(at: address)
      finding.expected = finding.symbol?.withCString {
        target(at: image.image.elfClass.wrapped(symbol.value &+ image.image.loadBias), hint: $0)
      }
      findings.append(finding)
    }
    return findings
  }

  /// The definition that the loader would find if nothing was preloaded: of the first image in its
  /// order that has one of the version, or else of any.
  private func expected(_ symbol: SymbolEntry, _ index: Int, in table: SymbolTable)
    -> ProcessTarget?
  {
    func isAsked(_ image: Int) -> Bool { !images[image].isPreloaded }
    let name = table.name(of: symbol)
    guard
      let found = scope.definition(of: symbol, at: index, in: table, where: isAsked)
        ?? scope.definition(of: name, version: nil, where: isAsked),
      found.entry.type != .threadLocal
    else { return nil }
    let image = images[found.image].image
    return target(
      at: image.elfClass.wrapped(found.entry.value &+ image.loadBias),
      hint: name.assumingMemoryBound(to: CChar.self).baseAddress)
  }

  private func text(_ name: UnsafeRawBufferPointer) -> String {
    String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
  }

  // MARK: - Files and pages

  private func fileFinding(of image: LoadedImage) -> ProcessFinding.Kind? {
    switch fileState(of: image) {
    case .same, .unknown: nil
    case .deleted: .deletedFile
    case .replaced: .replacedFile
    }
  }

  private func writableCode(of image: LoadedImage) -> [ProcessFinding] {
    pages(of: image, in: image.image.start..<image.image.end) {
      $0.contains("w") && $0.contains("x")
    }.map { range(.writableCode, $0, of: image) }
  }

  private func openRelro(of image: LoadedImage) -> [ProcessFinding] {
    // Static programs close their own relro pages, and those of musl leave them open.
    guard image.order != nil || image.interpreter != nil,
      let relro = image.image.segments.first(where: { $0.type == .relro }), relro.memorySize > 0
    else { return [] }
    // The loader closes whole pages.
    let page = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
    let start = image.image.elfClass.wrapped(relro.address &+ image.image.loadBias)
    let (first, end) = (start / page * page, (start &+ relro.memorySize) / page * page)
    guard first < end else { return [] }
    return pages(of: image, in: first..<end) { $0.contains("w") }
      .map { range(.openRelro, $0, of: image) }
  }

  /// The parts of a range of run-time addresses that lie in the image's segments, and whose
  /// permissions fit.
  private func pages(
    of image: LoadedImage, in range: Range<UInt64>, where fits: (String) -> Bool
  ) -> [Range<UInt64>] {
    var found: [Range<UInt64>] = []
    for mapping in mappings where fits(mapping.permissions) {
      let part = (mapping.start..<mapping.end).clamped(to: range)
      // Where segments lie apart, other mappings may lie between them.
      guard !part.isEmpty, image.overlaps(part) else { continue }
      if let last = found.last, last.upperBound == part.lowerBound {
        found[found.count - 1] = last.lowerBound..<part.upperBound
      } else {
        found.append(part)
      }
    }
    return found
  }

  func range(
    _ kind: ProcessFinding.Kind, _ range: Range<UInt64>, of image: LoadedImage
  ) -> ProcessFinding {
    var finding = ProcessFinding(kind)
    finding.address = image.linked(range.lowerBound)
    finding.end = image.linked(range.upperBound)
    return finding
  }
}
