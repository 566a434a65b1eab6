package import RebindFiles

/// A file and the libraries that a loader would load with it.
package struct DependencyGraph {
  package let kind: LoaderKind
  /// The loader that the file asks for; nil if it asks for none.
  package let interpreter: String?
  /// Why the system would not run that loader; nil if it would, or if the file asks for none.
  package let interpreterProblem: String?
  /// In the order in which symbols are looked up: the file, what is preloaded, and then what is
  /// needed, breadth first.
  package let images: [DependencyImage]
  package let missing: [MissingLibrary]

  /// True if a loader would start the program: it is there, and no library is missing and no version.
  package var isComplete: Bool {
    interpreterProblem == nil && missing.isEmpty
      && images.allSatisfy { !$0.requirements.contains(where: \.isMissing) }
  }
}
