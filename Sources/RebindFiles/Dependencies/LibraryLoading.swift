import Glibc
import Rebind

/// The loading of one file's libraries, in the loader's order.
struct LibraryLoading {
  private(set) var images: [DependencyImage] = []
  private(set) var missing: [MissingLibrary] = []
  private let context: LoaderContext
  /// The folders of `LD_LIBRARY_PATH`.
  private let environment: [(entry: String, folder: FilePath)]
  private let preloads: [String]
  /// True if there is a loader that loads it.
  private let isDynamic: Bool
  /// The images by the names that others may need them by.
  private var names: [String: Int] = [:]
  private var missingNames: Set<String> = []
  /// The images by their files, which may have several paths.
  private var places: [FilePlace: Int] = [:]

  /// Starts with the file that libraries are looked for.
  init(
    of file: ELFFile, _ table: DynamicTable, interpreter: String?, _ search: LibrarySearch,
    _ context: LoaderContext
  ) throws(ELFFileError) {
    self.context = context
    let path = file.reader.path
    // The kernel tells a program its path without links.
    let origin = interpreter != nil ? path.resolved?.folder : path.folder.resolved
    isDynamic = interpreter != nil || !table.needed.isEmpty
    let trusts = !Self.changesUser(path)
    environment =
      trusts && !search.libraryPath.isEmpty
      ? context.tokens.folders(
        search.libraryPath, separators: context.kind == .musl ? ":\n" : ":;",
        origin: origin ?? path.folder) : []
    preloads =
      (trusts ? search.preload.split { $0 == ":" || $0 == " " } : []).map(String.init)
      + Self.systemPreloads(context)
    append(
      DependencyImage(
        name: path.text, path: path, reason: nil, loadedBy: nil, isPreloaded: false, file: file,
        table: table, origin: origin ?? path.folder,
        definedVersions: try Self.definedVersions(of: file)))
  }

  /// Loads all that is needed, and looks for the versions.
  mutating func load() {
    for name in preloads { _ = image(named: name, for: 0, isPreload: true) }
    var index = 0
    while index < images.count {
      for name in images[index].table.needed {
        let found = image(named: name, for: index, isPreload: false)
        images[index].needs.append(.init(name: name, image: found))
      }
      index += 1
    }
    if context.kind == .glibc {
      for index in images.indices { checkVersions(of: index) }
    } else if isDynamic, let path = context.loaderPath, names[path] == nil {
      // musl's loader is last if nothing else has asked for it.
      _ = loader(named: path, for: 0)
    }
  }

  /// The index of the image that a name is, which is loaded if it is new; nil if it is missing.
  private mutating func image(named name: String, for needer: Int, isPreload: Bool) -> Int? {
    if let known = names[name] { return known }
    if missingNames.contains(name) { return nil }
    if context.isLoader(name), let loader = loader(named: name, for: needer) { return loader }
    var search = LibraryLookup(name: name, neededBy: needer, isPreload: isPreload)
    guard let (path, file, reason) = find(name, for: needer, &search),
      let loaded = add(name, path, file, reason, &search)
    else {
      missing.append(search.missing)
      missingNames.insert(name)
      return nil
    }
    return loaded
  }

  private mutating func loader(named name: String, for needer: Int) -> Int? {
    guard let file = context.loader, let path = context.loaderPath else { return nil }
    var search = LibraryLookup(name: name, neededBy: needer, isPreload: false)
    return add(name, context.root.outside(FilePath(path)), file, .loader, &search)
  }

  /// Adds a file that was found, unless it is an image already.
  private mutating func add(
    _ name: String, _ path: FilePath, _ file: ELFFile, _ reason: SearchReason,
    _ search: inout LibraryLookup
  ) -> Int? {
    if let place = FilePlace(file.reader.path), let known = places[place] {
      names[name] = known
      return known
    }
    do throws(ELFFileError) {
      let absolute = path.isAbsolute ? path : FilePath(".").resolved?.appending(path.text) ?? path
      append(
        DependencyImage(
          name: name, path: path, reason: reason, loadedBy: search.neededBy,
          isPreloaded: search.isPreload, file: file,
          table: try file.dynamicTable ?? DynamicTable(), origin: absolute.folder,
          definedVersions: try Self.definedVersions(of: file)))
      return images.count - 1
    } catch {
      search.reject(path, error.message)
      return nil
    }
  }

  private mutating func append(_ image: DependencyImage) {
    var image = image
    let tokens = context.tokens
    if let text = image.table[.runPath]?.string {
      image.runPath = tokens.folders(text, origin: image.origin)
    } else if let text = image.table[.rpath]?.string {
      image.rpath = tokens.folders(text, origin: image.origin)
    }
    let index = images.count
    images.append(image)
    if let place = FilePlace(image.file.reader.path) { places[place] = index }
    for name in [image.name, image.path.text] + loaderNames(of: image) where names[name] == nil {
      names[name] = index
    }
  }

  /// glibc finds an image by its soname too.
  private func loaderNames(of image: DependencyImage) -> [String] {
    let soname = context.kind == .glibc ? image.table.soname : nil
    let loader = image.reason == .loader ? context.loaderPath : nil
    return [soname, loader].compactMap { $0 }
  }

  // MARK: - Where to look

  private func find(
    _ name: String, for needer: Int, _ search: inout LibraryLookup
  ) -> (FilePath, ELFFile, SearchReason)? {
    if name.contains("/") {
      guard let path = context.tokens.expand(name, origin: images[needer].origin),
        let file = search.open(path, context, like: images[0].file)
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
    for text in context.cache?.paths(of: name, hardware: context.hardware) ?? [] {
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
    for index in chain(from: needer) {
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
      next = images[index].loadedBy
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

  // MARK: - Versions

  private mutating func checkVersions(of index: Int) {
    // What is wrong with it keeps no program from being looked at.
    guard let needs = try? images[index].file.versions.needs else { return }
    images[index].requirements = needs.flatMap { need in
      need.versions.map { version in
        .init(
          library: need.file, version: version.name,
          isWeak: version.flags & FileVersions.weak != 0, status: status(version.name, need.file))
      }
    }
  }

  private func status(_ version: String, _ name: String) -> DependencyImage.Requirement.Status {
    guard let library = names[name] else { return .noLibrary }
    guard let defined = images[library].definedVersions else { return .unversioned }
    return defined.contains(version) ? .found : .missing
  }

  private static func definedVersions(of file: ELFFile) throws(ELFFileError) -> Set<String>? {
    let definitions = try file.versions.definitions
    return definitions.isEmpty ? nil : Set(definitions.map(\.name))
  }

  // MARK: - The system

  /// True if the program runs with the rights of others, so that the environment does not count.
  private static func changesUser(_ path: FilePath) -> Bool {
    var status = stat()
    guard stat(path.cString, &status) == 0 else { return false }
    return status.st_mode & S_ISUID != 0 && status.st_uid != getuid()
      || status.st_mode & S_ISGID != 0 && status.st_gid != getgid()
  }

  /// What the system preloads into every program. The corresponding file is `/etc/ld.so.preload`.
  private static func systemPreloads(_ context: LoaderContext) -> [String] {
    let path = context.root.outside(FilePath("/etc/ld.so.preload"))
    guard context.kind == .glibc, let file = try? RegularFile.open(context.root.resolved(path)),
      file.size < 1 << 20
    else { return [] }
    return String(decoding: file.read(Int(file.size), at: 0), as: UTF8.self)
      .split { " \t\n:".contains($0) }.map(String.init)
  }
}

/// What a file is, whatever its paths.
struct FilePlace: Hashable {
  private let device: UInt
  private let number: UInt

  /// Nil if there is no such file.
  init?(_ path: FilePath) {
    var status = stat()
    guard stat(path.cString, &status) == 0 else { return nil }
    device = UInt(truncatingIfNeeded: status.st_dev)
    number = UInt(truncatingIfNeeded: status.st_ino)
  }
}
