import Rebind
import RebindFiles

/// Where the loaders look for a library, by their rules.
extension LibraryLoading {
  /// The file of a library that an image needs, and why it is that one; nil if it is missing.
  func find(
    _ name: String, for needer: Int, _ search: inout LibraryLookup
  ) -> (FilePath, ELFFile, SearchReason)? {
    if isSecure, context.kind == .glibc, context.tokens.hasWord(name) {
      search.reject(FilePath(name), "a program with others' rights may not need it by such a name")
      return nil
    }
    if name.contains("/") {
      // musl takes it as it is.
      let expanded =
        context.kind == .musl
        ? context.root.outside(FilePath(name))
        : context.tokens.expand(name, origin: images[needer].origin)
      guard let path = expanded, let file = search.open(path, context, like: images[0].file)
      else { return nil }
      return (path, file, .path)
    }
    return context.kind == .glibc
      ? findAsGlibc(name, for: needer, &search) : findAsMusl(name, for: needer, &search)
  }

  private func findAsGlibc(
    _ name: String, for needer: Int, _ search: inout LibraryLookup
  ) -> (FilePath, ELFFile, SearchReason)? {
    if !images[needer].hasRunPath {
      for index in chain(from: needer) + [0] where index != 0 || !search.hasAsked(0) {
        search.ask(index)
        if let found = look(
          in: images[index].rpath, &search, { .rpath(of: index, entry: $0) })
        {
          return found
        }
      }
    }
    if let found = look(in: environment, &search, { .environment(entry: $0) }) { return found }
    if let found = look(
      in: images[needer].runPath, &search, { .runPath(of: needer, entry: $0) })
    {
      return found
    }
    let usesDefaults = !images[needer].table.flags1.contains(.noDefaultLibraries)
    for text in context.cache?.paths(
      of: name, hardware: context.hardware, legacy: context.legacyHardware) ?? []
    {
      let isDefault = context.folders.contains { text.hasPrefix($0.entry + "/") }
      let path = context.root.outside(FilePath(text))
      if usesDefaults || !isDefault, let file = search.open(path, context, like: images[0].file) {
        return (path, file, .cache)
      }
    }
    return usesDefaults ? look(in: context.folders, &search, { .folder($0) }) : nil
  }

  private func findAsMusl(
    _ name: String, for needer: Int, _ search: inout LibraryLookup
  ) -> (FilePath, ELFFile, SearchReason)? {
    if let found = look(in: environment, &search, { .environment(entry: $0) }) { return found }
    // One to be preloaded is looked for by nobody.
    for index in search.isPreload ? [] : chain(from: needer) {
      if let found = look(
        in: images[index].runPath, &search, { .runPath(of: index, entry: $0) })
      {
        return found
      }
      if let found = look(
        in: images[index].rpath, &search, { .rpath(of: index, entry: $0) })
      {
        return found
      }
    }
    return look(in: context.folders, &search) { .folder($0) }
  }

  /// An image, the one that it was loaded for, and so on.
  private func chain(from index: Int) -> [Int] {
    var chain: [Int] = []
    var next: Int? = index
    while let index = next {
      chain.append(index)
      let isOnItsOwn = context.kind == .musl && images[index].isPreloaded
      next = isOnItsOwn ? nil : images[index].loadedBy
    }
    return chain
  }

  private func look(
    in folders: [(entry: String, folder: FilePath)], _ search: inout LibraryLookup,
    _ reason: (String) -> SearchReason
  ) -> (FilePath, ELFFile, SearchReason)? {
    for (entry, folder) in folders {
      if let (path, file) = search.look(in: folder, context, like: images[0].file) {
        return (path, file, reason(entry))
      }
    }
    return nil
  }
}
