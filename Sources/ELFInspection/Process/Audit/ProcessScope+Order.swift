import Rebind
import RebindFiles

/// The order in which the loader has loaded the images, and what that tells of them.
extension ProcessScope {
  static func loader(
    of images: [LoadedImage], _ memory: ProcessMemory
  ) -> (address: UInt64, program: LoadedImage, list: LoaderList)? {
    for image in images {
      guard let address = image.table[.debug]?.value, address != 0 else { continue }
      return (address, image, LoaderList(at: address, memory, image.image.elfClass))
    }
    return nil
  }

  static func ordered(
    _ images: [LoadedImage], _ program: LoadedImage, _ list: LoaderList, _ memory: ProcessMemory
  ) -> [LoadedImage] {
    var ordered: [LoadedImage] = []
    for listed in list.images {
      guard let image = images.first(where: { $0.tableAddress == listed.table }) else { continue }
      image.order = ordered.count
      image.namespace = listed.namespace
      image.entry = listed.entry
      image.listedPath = memory.text(at: listed.name).flatMap { $0.isEmpty ? nil : FilePath($0) }
      ordered.append(image)
    }
    if LoaderKind(interpreter: program.interpreter, needed: program.table.needed) == .glibc {
      ordered.first { $0.contains(list.loaderBase) }?.isLoader = true
    }
    let own = ordered.filter { $0.namespace == 0 }
    let positions = Positions(of: own) { $0.isVDSO || $0.contains(list.loaderBase) }
    for (place, image) in own.enumerated() {
      image.isFromStart = place < positions.startCount
      image.isPreloaded = positions.preloaded.contains(place)
    }
    return ordered + images.filter { $0.order == nil }
  }
}

/// The meaning of images' places in the loader's list. At start it loads the program, then what is
/// preloaded, and then, for each in turn, what it needs; and after that what the program opens.
private struct Positions {
  /// How many are there from the start.
  private(set) var startCount = 0
  /// The places of those that were preloaded.
  private(set) var preloaded: Set<Int> = []

  /// - Parameter isOfSystem: Says which ones come without being asked for: the vDSO and the loader.
  /// - Complexity: O(images and what they need).
  init(of images: [LoadedImage], isOfSystem: (LoadedImage) -> Bool) {
    guard !images.isEmpty else { return }
    var places: [String: Int] = [:]
    var placesOfFiles: [String: [Int]] = [:]
    for (place, image) in images.enumerated() {
      for name in image.namesOfItsOwn where places[name] == nil { places[name] = place }
      for name in image.fileNames { placesOfFiles[name, default: []].append(place) }
    }
    // A path may be written in another way, or begin with $ORIGIN. A file without a soname may have
    // been found by its path. Then any file of the name may be meant.
    let needs = images.map { image in
      image.wants.flatMap { name in
        places[name].map { [$0] } ?? placesOfFiles[FilePath(name).lastComponent] ?? []
      }
    }
    var asked: Set = [0]
    var queue = [0]
    while let place = queue.popLast() {
      for needed in needs[place] where asked.insert(needed).inserted { queue.append(needed) }
    }
    // The loader itself is in the list where somebody asks for it first.
    let last = asked.max() ?? 0
    var firstNeeder = [Int](repeating: .max, count: images.count)
    for (place, needed) in needs.enumerated() {
      for needed in needed { firstNeeder[needed] = min(firstNeeder[needed], place) }
    }
    // An image is preloaded if it comes before the first image that the program asks for, or before
    // an image that no earlier image asks for.
    let first = needs[0].filter { $0 > 0 && !isOfSystem(images[$0]) }.min() ?? 0
    let unasked = images.indices.last {
      $0 > 0 && $0 <= last && firstNeeder[$0] >= $0 && !isOfSystem(images[$0])
    }
    startCount = max(last, unasked ?? 0) + 1
    for place in 1..<max(1, first, (unasked ?? 0) + 1)
    where !asked.contains(place) && !isOfSystem(images[place]) {
      preloaded.insert(place)
    }
  }
}

extension LoadedImage {
  /// The names and paths of the libraries that the loader loads with it. The corresponding tags are
  /// `DT_NEEDED`, `DT_FILTER` and `DT_AUXILIARY`.
  fileprivate var wants: [String] {
    table.entries.compactMap { entry in
      [.needed, .filter, .auxiliary].contains(entry.tag) ? entry.string : nil
    }
  }
}
