import Rebind
import RebindFiles

/// A note of an image about a library, and the file that `dlopen` would load for it.
struct DlopenLibrary {
  let note: DlopenNote
  /// The index of the image that has the note.
  let image: Int
  /// The first of the names that is found; nil if none is.
  let found: (name: String, path: FilePath, file: ELFFile)?
}

extension DependencyGraph {
  /// The libraries that the notes of its images name, as a loader would find them for `dlopen`.
  /// Libraries that are images of the graph themselves are left out.
  ///
  /// - Complexity: O(notes × folders).
  func dlopenLibraries() -> [DlopenLibrary] {
    images.indices.flatMap { image in
      images[image].dlopen.compactMap { note in
        let isLoaded = note.sonames.contains { name in
          images.contains { $0.name == name || $0.table.soname == name }
        }
        if isLoaded { return nil }
        return DlopenLibrary(note: note, image: image, found: find(note, for: image))
      }
    }
  }

  private func find(
    _ note: DlopenNote, for image: Int
  ) -> (name: String, path: FilePath, file: ELFFile)? {
    for name in note.sonames {
      var search = LibraryLookup(name: name, neededBy: image, isPreload: false)
      guard let (path, file, _) = loading.find(name, for: image, &search),
        kind.refusal(of: file) == nil
      else { continue }
      return (name, path, file)
    }
    return nil
  }
}

extension DependencyImage {
  /// The libraries that its notes name; none if these are broken.
  package var dlopen: [DlopenNote] { DlopenNotes(of: file).entries }
}

extension DependencyGraph {
  /// The parts of its images' notes of `dlopen` that cannot be read, a line each.
  package var dlopenProblems: [String] {
    images.indices.flatMap { index in
      let place = index == 0 ? "" : "\(images[index].path.text): "
      return DlopenNotes(of: images[index].file).problems.map { place + $0 }
    }
  }
}
