package import RebindFiles

/// A file and the libraries that a loader would load with it.
package struct DependencyGraph {
  package let kind: LoaderKind
  /// The loader that the file asks for; nil if it asks for none.
  package let interpreter: String?
  /// Why the system would not run that loader; nil if it would, or if the file asks for none.
  package let interpreterProblem: String?
  /// The file, and behind it the others in the order in which symbols are looked up: what is
  /// preloaded, and then what is needed, breadth first.
  package let images: [DependencyImage]
  /// The indices of the images in the order in which symbols are looked up. A library that
  /// stands in for the file itself comes before it.
  package let order: [Int]
  package let missing: [MissingLibrary]
  /// How the libraries were found. It finds further libraries in the same way.
  let loading: LibraryLoading

  /// True if a loader would start the program: it is there, and no library is missing and no version.
  /// A loader warns of a missing library that it should preload, and goes on.
  package var isComplete: Bool {
    interpreterProblem == nil && missing.allSatisfy(\.isPreload)
      && images.allSatisfy { !$0.requirements.contains(where: \.isMissing) }
  }

  /// True if the file is for another C library, as Android's, whose loader looks in other places.
  package var isForOtherLoader: Bool {
    (try? FileRequirements.runtime(of: images[0].file, kind, interpreter)) == .other
  }
}
