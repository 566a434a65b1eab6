import Rebind

/// The images that the loader of a process knows of, in its order.
///
/// The corresponding C types are `r_debug` and `link_map`, and the tag is `DT_DEBUG`.
struct LoaderList {
  /// The run-time addresses of the images' dynamic tables: the program's first, then those that were
  /// preloaded, then the others as they were loaded.
  private(set) var dynamicTables: [UInt64] = []
  /// Where the loader itself is loaded.
  private(set) var loaderBase: UInt64 = 0

  /// Empty if there is no loader, or if it has not said where its list is.
  init(at address: UInt64, _ memory: ProcessMemory, _ elfClass: ELFClass) {
    let word = UInt64(elfClass.addressSize)
    func read(_ address: UInt64) -> UInt64? { memory.word(at: address, elfClass) }
    var known: Set<UInt64> = []
    var list = address
    // A process has few namespaces.
    for _ in 0..<64 {
      guard list != 0, let version = memory.word(at: list, .bits32),
        var image = read(list &+ word)
      else { return }
      if loaderBase == 0 { loaderBase = read(list &+ 4 * word) ?? 0 }
      // A list that is changed meanwhile may run in a circle.
      for _ in 0..<0x1_0000 where image != 0 {
        guard let table = read(image &+ 2 * word), let next = read(image &+ 3 * word) else {
          return
        }
        if table != 0, known.insert(table).inserted { dynamicTables.append(table) }
        image = next
      }
      guard version >= 2, let next = read(list &+ 5 * word) else { return }
      list = next
    }
  }
}
