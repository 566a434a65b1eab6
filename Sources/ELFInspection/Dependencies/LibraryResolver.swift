import Rebind
package import RebindFiles

/// Finds the libraries of files as their loaders would, without running anything.
///
/// The rules are those of glibc's `ld.so` and musl's. glibc's before 2.37 has folders of the kind
/// `tls/x86_64`, which are known here for x86-64 alone.
package final class LibraryResolver {
  private let search: LibrarySearch
  private let root: Sysroot
  private var contexts: [ContextKey: LoaderContext] = [:]

  package init(_ search: LibrarySearch) {
    self.search = search
    root = Sysroot(search.root)
  }

  /// The libraries that a loader would load with a file, in the order that it looks symbols up in.
  ///
  /// A library is looked at as if it were loaded alone: what a program adds in front of it is not
  /// known.
  ///
  /// - Throws: `ELFFileError` if the file itself cannot be read, or is a core file; what is wrong with a library
  ///   makes that a missing one.
  /// - Complexity: O(images × folders).
  package func graph(of file: ELFFile) throws(ELFFileError) -> DependencyGraph {
    try file.checkIsNoCore()
    let table = try file.dynamicTable ?? DynamicTable()
    let interpreter = try file.interpreter
    let kind = LoaderKind(interpreter: interpreter, needed: table.needed)
    let key = ContextKey(
      kind: kind, interpreter: interpreter, elfClass: file.elfClass, byteOrder: file.byteOrder,
      machine: file.machine)
    let context =
      contexts[key] ?? LoaderContext(kind, interpreter: interpreter, of: file, root)
    contexts[key] = context
    var loading = try LibraryLoading(of: file, table, interpreter: interpreter, search, context)
    loading.load()
    return DependencyGraph(
      kind: kind, interpreter: interpreter,
      interpreterProblem: interpreter == nil ? nil : context.loaderProblem,
      images: loading.images, order: loading.order, missing: loading.missing,
      loading: loading)
  }

  private struct ContextKey: Hashable {
    let kind: LoaderKind
    let interpreter: String?
    let elfClass: ELFClass
    let byteOrder: ByteOrder
    let machine: Machine
  }
}
