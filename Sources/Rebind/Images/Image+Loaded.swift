#if os(Linux) && !REBIND_ELSEWHERE
extension Image {
  /// The images that are loaded now, in the loader's order, the program first.
  ///
  /// - Throws: `RebindError` with the code `outOfMemory` or `busy`.
  /// - Complexity: O(images).
  ///
  /// The corresponding C functions are `crebind_images` and `dl_iterate_phdr`.
  public static var all: [Image] {
    get throws(RebindError) { try loadedImages() }
  }

  /// The program.
  ///
  /// - Throws: The same errors as `all`.
  public static var main: Image {
    get throws(RebindError) {
      guard let image = try loadedImages().first else { throw RebindError(code: .noSuchImage) }
      return image
    }
  }

  /// The loaded image that an address of this process lies in, such as a
  /// function's; nil for memory of no image.
  ///
  /// - Throws: The same errors as `all`.
  package static func containing(
    _ address: some UnsignedInteger & FixedWidthInteger
  ) throws(RebindError) -> Image? {
    try loadedImages().first { $0.contains(address) }
  }

  /// The first loaded image with this soname, path or file name, or nil.
  ///
  /// - Throws: The same errors as `all`.
  public static func named(_ name: String) throws(RebindError) -> Image? {
    try loadedImages().first { $0.isNamed(name) }
  }

  /// The image's dynamic symbols, in the table's order.
  ///
  /// - Throws: `RebindError`; with the code `noSuchImage` if the image has been
  ///   closed, and `brokenImage` if its dynamic table cannot be read.
  /// - Complexity: O(symbols + relocations).
  ///
  /// The corresponding C function is `crebind_symbols`.
  public func symbols() throws(RebindError) -> [Symbol] { try loadedSymbols(of: self, named: nil) }

  /// The definitions that the image's hash table has for a name, one for each version. If a program
  /// that is not position-independent has taken a function's address, the undefined symbol that
  /// stands for it is one of them.
  ///
  /// Imported symbols are not among them: filter `symbols()` for these.
  ///
  /// - Throws: The same errors as `symbols()`.
  /// - Complexity: O(1) in the number of symbols.
  ///
  /// The corresponding C function is `crebind_symbols`; the corresponding tables are
  /// `DT_GNU_HASH` and `DT_HASH`.
  public func symbols(named name: String) throws(RebindError) -> [Symbol] {
    try loadedSymbols(of: self, named: name)
  }

  /// The image's slots and what they hold now, in the order of its relocations.
  ///
  /// - Throws: The same as for `symbols()`.
  /// - Complexity: O(relocations), and O(symbols of its target) for a slot that leads
  ///   elsewhere than the loader binds it.
  ///
  /// The corresponding C function is `crebind_image_slots`.
  public func slots() throws(RebindError) -> [Slot] { try loadedSlots(of: self) }

  /// Serves images that came and went past dlopen's slot, as with libc's own loads, and calls the
  /// observers.
  ///
  /// - Throws: `RebindError`.
  ///
  /// The corresponding C function is `crebind_refresh`.
  public static func refresh() throws(RebindError) { try refreshImages() }
}
#endif
