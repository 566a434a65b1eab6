import Rebind
import RebindFiles

/// The order of images: breadth first. A filter's or auxiliary library comes in front of the image
/// that names it.
extension LibraryLoading {
  /// Loads the libraries that the images need, and those that these need in turn. The corresponding
  /// function is glibc's `_dl_map_object_deps`.
  mutating func loadNeeded() {
    order = Array(images.indices)
    var listed = Set(order)
    var done: Set<Int> = []
    var place = 0
    while place < order.count {
      let index = order[place]
      guard done.insert(index).inserted else {
        place += 1
        continue
      }
      for (name, kind) in needs(of: index) {
        let found = image(
          named: name, for: index, isPreload: false, isOptional: kind == .auxiliary)
        images[index].needs.append(.init(name: name, image: found, kind: kind))
        guard let found else { continue }
        if kind == .needed {
          if listed.insert(found).inserted { order.append(found) }
        } else {
          listed.insert(found)
          move(found, before: index)
        }
      }
    }
  }

  /// The names of the libraries that the loader loads for an image, in their order. musl knows
  /// `DT_NEEDED` alone.
  private func needs(of index: Int) -> [(String, DependencyImage.Need.Kind)] {
    images[index].table.entries.compactMap { entry in
      guard let name = entry.string else { return nil }
      switch entry.tag {
      case .needed: return (name, .needed)
      case .filter: return context.kind == .glibc ? (name, .filter) : nil
      case .auxiliary: return context.kind == .glibc ? (name, .auxiliary) : nil
      default: return nil
      }
    }
  }

  /// Has symbols looked up in an image before another one.
  private mutating func move(_ image: Int, before other: Int) {
    guard let behind = order.firstIndex(of: other) else { return }
    if let place = order.firstIndex(of: image) {
      if place <= behind { return }
      order.remove(at: place)
    }
    order.insert(image, at: behind)
  }

  /// Brings the images into the order of lookup, but for the file itself, which stays the first.
  mutating func sortImages() {
    let sorted = [0] + order.filter { $0 != 0 }
    guard sorted != Array(images.indices) else { return }
    var places = sorted
    for (place, image) in sorted.enumerated() { places[image] = place }
    images = sorted.map { images[$0].renumbered { places[$0] } }
    missing = missing.map { $0.renumbered { places[$0] } }
    order = order.map { places[$0] }
  }
}

extension DependencyImage {
  /// The same image, if the images have other indices.
  fileprivate func renumbered(_ place: (Int) -> Int) -> Self {
    var image = self
    image.loadedBy = loadedBy.map(place)
    image.needs = needs.map { .init(name: $0.name, image: $0.image.map(place), kind: $0.kind) }
    switch reason {
    case .rpath(let index, let entry): image.reason = .rpath(of: place(index), entry: entry)
    case .runPath(let index, let entry): image.reason = .runPath(of: place(index), entry: entry)
    default: break
    }
    return image
  }
}

extension MissingLibrary {
  fileprivate func renumbered(_ place: (Int) -> Int) -> Self {
    Self(
      name: name, neededBy: place(neededBy), isPreload: isPreload, searched: searched,
      rejected: rejected)
  }
}
