import RebindFiles

/// The images that the loader of a process knows of, in its order.
///
/// The corresponding C types are `r_debug` and `link_map`, and the tag is `DT_DEBUG`.
struct LoaderList: Equatable {
  /// The program first, then what was preloaded, then the others as they were loaded; and behind
  /// those of the program's namespace those of the others.
  private(set) var images: [Image] = []
  /// Where the loader itself is loaded.
  private(set) var loaderBase: UInt64 = 0
  /// False while it adds images to a namespace, or takes them away. The corresponding field is
  /// `r_state`, which musl leaves as it is.
  private(set) var isConsistent = true

  struct Image: Equatable {
    /// The run-time address of the loader's entry, a `link_map`.
    let entry: UInt64
    /// The run-time address of its dynamic table.
    let table: UInt64
    /// Where the loader has the path by which it found the file. The corresponding field is
    /// `l_name`.
    let name: UInt64
    /// 0 for the program's.
    let namespace: Int
  }

  /// Empty without a loader, or if it has not said where its list is.
  init(at address: UInt64, _ memory: ProcessMemory, _ elfClass: ELFClass) {
    let word = UInt64(elfClass.addressSize)
    func read(_ address: UInt64) -> UInt64? { memory.word(at: address, elfClass) }
    var known: Set<UInt64> = []
    var list = address
    // A process has few namespaces.
    for namespace in 0..<64 {
      guard list != 0, let version = memory.word(at: list, .bits32),
        var image = read(list &+ word)
      else { return }
      // RT_ADD or RT_DELETE.
      if let state = memory.word(at: list &+ 3 * word, .bits32), state == 1 || state == 2 {
        isConsistent = false
      }
      if loaderBase == 0 { loaderBase = read(list &+ 4 * word) ?? 0 }
      // A list that is changed meanwhile may run in a circle.
      for _ in 0..<0x1_0000 where image != 0 {
        guard let name = read(image &+ word), let table = read(image &+ 2 * word),
          let next = read(image &+ 3 * word)
        else { return }
        if table != 0, known.insert(table).inserted {
          images.append(Image(entry: image, table: table, name: name, namespace: namespace))
        }
        image = next
      }
      guard version >= 2, let next = read(list &+ 5 * word) else { return }
      list = next
    }
  }
}
