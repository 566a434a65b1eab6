import Glibc
import Rebind
package import RebindFiles

/// The slots of an image of a process, with the tables that name their symbols.
package struct ProcessSlots {
  package let symbols: SymbolTable
  package let types: SlotTypes
  package let slots: [ProcessSlot]

  package init(symbols: SymbolTable, types: SlotTypes, slots: [ProcessSlot]) {
    self.symbols = symbols
    self.types = types
    self.slots = slots
  }
}

extension ProcessScope {
  /// The slots of an image, and what each holds now; nil if it has no dynamic symbols.
  ///
  /// A slot leads home if it leads to a definition of its symbol's name that the loader can have
  /// taken. Its choice among several leaves no trace, but it takes none of an image that was loaded
  /// later in front of one that is there from the start. The result of an IFUNC's resolver may be
  /// any code of its image, or of the vDSO.
  ///
  /// - Parameter isWanted: Says of a slot whether it is looked at.
  /// - Throws: `ELFFileError` if the image's tables contradict themselves, or if it is gone.
  package func slots(
    of image: LoadedImage, where isWanted: (FileSlot, SymbolTable) -> Bool = { _, _ in true }
  ) throws(ELFFileError) -> ProcessSlots? {
    let found = try FileSlots(of: image.loaded, addendsFrom: image.file, loader: loaderKind)
    guard let symbols = found.symbols else { return nil }
    let stored = try image.file.map { file throws(ELFFileError) in try SegmentBytes(of: file) }
    var words = ProcessWords(image.image)
    var slots: [ProcessSlot] = []
    var hasVanished = false
    found.forEach { slot in
      guard isWanted(slot, symbols) else { return }
      guard let word = words.word(at: slot.address) else {
        hasVanished = true
        return
      }
      let added = UInt64(bitPattern: slot.added ?? 0)
      var judged = judge(slot, word, less: added, of: image, symbols, stored)
      judged.bypass = bypass(of: slot, in: image)
      slots.append(judged)
    }
    if hasVanished { throw ELFFileError(path: image.image.path, reason: .vanished) }
    return ProcessSlots(symbols: symbols, types: found.types, slots: slots)
  }

  private func judge(
    _ slot: FileSlot, _ word: UInt64, less added: UInt64, of image: LoadedImage,
    _ symbols: SymbolTable, _ stored: SegmentBytes?
  ) -> ProcessSlot {
    let elfClass = image.image.elfClass
    // forEach has passed over those without a name.
    let name = symbols.name(of: symbols[slot.symbol]).assumingMemoryBound(to: CChar.self)
      .baseAddress.unsafelyUnwrapped
    if word == 0 { return ProcessSlot(slot: slot, word: 0, state: .null, target: nil) }
    let address = elfClass.wrapped(word &- added)
    if isUnresolved(slot, word, of: image, name, stored) || isUntouched(word, of: image)
      || (slot.isPacked && word == stored?.word(at: slot.address))
    {
      return ProcessSlot(slot: slot, word: word, state: .unresolved, target: nil)
    }
    let state: ProcessSlot.State =
      if isDefinition(of: name, at: address, slot, image.image.machine) {
        isOfLaterImage(address, slot, of: image, symbols) ? .rebound : .original
      } else if slot.kind == .absolute, !slot.isRelro {
        .assigned
      } else {
        .rebound
      }
    return ProcessSlot(
      slot: slot, word: word, state: state, target: target(at: address, hint: name))
  }

  /// The loader leaves in a lazy slot what the file has there, moved by the load bias.
  private func isUnresolved(
    _ slot: FileSlot, _ word: UInt64, of image: LoadedImage, _ name: UnsafePointer<CChar>,
    _ stored: SegmentBytes?
  ) -> Bool {
    guard slot.kind == .jumpSlot, image.containsCode(word) else { return false }
    // glibc makes the words of ppc64le itself, so there the file's are of no use.
    if image.image.machine != .ppc64, let stored = stored?.word(at: slot.address) {
      return image.linked(word) == stored
    }
    return slot.isLazy && !(image.places?.has(name, at: image.linked(word)) ?? false)
  }

  /// True if a slot of an image that is there from the start leads to an image that was loaded later,
  /// although one from the start defines the symbol. The loader would have taken that one, because
  /// it looks in those first. A pointer in data is the program's to assign.
  private func isOfLaterImage(
    _ address: UInt64, _ slot: FileSlot, of image: LoadedImage, _ symbols: SymbolTable
  ) -> Bool {
    guard image.isFromStart, !image.isLoader, slot.kind != .absolute || slot.isRelro,
      let holder = self.image(with: address), !holder.isFromStart, !holder.isVDSO
    else { return false }
    return scope.definition(of: symbols[slot.symbol], at: slot.symbol, in: symbols) {
      images[$0].isFromStart
    } != nil
  }

  /// The loader has yet to relocate the image: the word is a link-time address of it, where no
  /// memory is.
  private func isUntouched(_ word: UInt64, of image: LoadedImage) -> Bool {
    image.image.loadBias != 0 && self.image(with: word) == nil
      && image.contains(image.image.elfClass.wrapped(word &+ image.image.loadBias))
  }

  private func isDefinition(
    of name: UnsafePointer<CChar>, at address: UInt64, _ slot: FileSlot, _ machine: Machine
  ) -> Bool {
    guard let holder = image(with: address), let places = holder.places else { return false }
    if places.has(name, at: holder.linked(address)) { return true }
    // An addend that was in place and is gone; a local entry point.
    if slot.addend == nil && slot.kind == .absolute || machine == .ppc64,
      places.has(name, around: holder.linked(address))
    {
      return true
    }
    if holder.isVDSO { return images.contains { $0.places?.hasIndirect(name) ?? false } }
    return holder.containsCode(address) && places.hasIndirect(name)
  }
}
