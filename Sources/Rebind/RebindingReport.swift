/// The effects of applying or restoring a rebinding on the slots.
public struct RebindingReport: Sendable, Hashable {
  /// The slots that hold our value now, or after a restore their former one.
  public var changedSlots = 0
  /// The images that these slots are in.
  public var changedImages = 0
  /// The slots that were right already, or after a restore those that another
  /// rebinding goes on to hold.
  public var unchangedSlots = 0
  /// The slots that were left alone, because they hold what someone else stored.
  public var skippedSlots = 0
  /// True if no loaded image defines the symbol. The rebinding takes effect when an image is loaded
  /// that defines it.
  public var isPending = false
  /// True if callers in different images would reach different functions, or if the symbol
  /// has several definitions to reach, such as two versions, so that `original` is not every
  /// caller's.
  public var hasSeveralOriginals = false
  /// The slots among these that calls bypass, as glibc has rewritten the PLT of their image
  /// into direct jumps (`glibc.cpu.plt_rewrite`, since 2.39).
  public var bypassedSlots = 0
  /// The slots that were left alone as their images are sealed, with
  /// ``RebindingScope/skipsSealedImages``.
  public var sealedSlots = 0
  /// The symbols without a slot in scope that can be changed: calls reach the replacement once an
  /// image is loaded that has one. ``Rebinding/diagnose(in:)`` says why.
  public var unreachedSymbols = 0
  /// The symbols that a sanitizer defines in the program: the program's own calls go through no
  /// slot then, and do not reach the replacement.
  public var interceptedSymbols = 0
  /// The images in scope that ask for the symbol, but whose relocations are packed for Android.
  /// Neither glibc's nor musl's loader applies these, so that slots of theirs were left alone.
  /// ``Rebinding/diagnose(in:)`` names the images.
  public var packedImages = 0
  /// The slots that were left alone as their image calls a function of that name of its own, in a
  /// local scope. Two plug-ins may share a name: the replacement would lead the calls of both to one.
  /// ``Rebinding/diagnose(in:)`` names the images; a scope of such an image alone reaches it.
  public var leftAloneSlots = 0
  /// The definitions that are not redirected yet: a thread may be in a call of `dlsym` by the
  /// replacement's image, which asks for the original and would get the replacement. The next call
  /// of this package redirects them, once the thread has its answer.
  public var postponedDefinitions = 0
}

extension RebindingReport: CustomStringConvertible {
  /// `2 slots in 2 images changed, 1 skipped`.
  public var description: String {
    func count(_ number: Int, _ noun: String) -> String {
      "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
    var text = "\(count(changedSlots, "slot")) in \(count(changedImages, "image")) changed"
    if unchangedSlots > 0 { text += ", \(unchangedSlots) unchanged" }
    if skippedSlots > 0 { text += ", \(skippedSlots) skipped" }
    if bypassedSlots > 0 { text += ", \(bypassedSlots) bypassed" }
    if sealedSlots > 0 { text += ", \(sealedSlots) sealed" }
    if packedImages > 0 {
      text += ", \(count(packedImages, "image")) with relocations packed for Android left alone"
    }
    if leftAloneSlots > 0 {
      text += ", \(count(leftAloneSlots, "slot")) of another function of that name left alone"
    }
    if postponedDefinitions > 0 {
      text += ", \(count(postponedDefinitions, "definition")) waiting for a thread in dlsym"
    }
    if isPending {
      text += ", pending until the symbol is defined"
    } else if unreachedSymbols > 0 {
      text += ", \(count(unreachedSymbols, "symbol")) without a slot until an image has one"
    }
    if interceptedSymbols > 0 {
      text +=
        ", \(count(interceptedSymbols, "symbol")) defined in the program by a sanitizer, "
        + "whose own calls are not seen"
    }
    if hasSeveralOriginals { text += ", with several originals" }
    return text
  }
}
