import Glibc
import Rebind
import RebindFiles

/// The loading of one file's libraries, in the loader's order.
struct LibraryLoading {
  var images: [DependencyImage] = []
  var missing: [MissingLibrary] = []
  /// The indices of the images in the order in which symbols are looked up.
  var order: [Int] = []
  let context: LoaderContext
  /// The folders of `LD_LIBRARY_PATH`.
  let environment: [(entry: String, folder: FilePath)]
  private let preloads: [String]
  /// True if the program runs with the rights of others.
  let isSecure: Bool
  /// True if a loader loads it.
  private let isDynamic: Bool
  /// The images by the names that others may need them by.
  private var names: [String: Int] = [:]
  /// The names that were not found, with the image that looked for each last.
  private var missingNames: [String: Int] = [:]
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
    isSecure = interpreter != nil && path.changesUser
    environment =
      !isSecure && !search.libraryPath.isEmpty
      ? context.tokens.environment(search.libraryPath, origin: origin ?? path.folder) : []
    preloads = (isSecure ? [] : context.kind.preloads(search.preload)) + context.preloads
    append(
      DependencyImage(
        name: path.text, path: path, reason: nil, loadedBy: nil, isPreloaded: false, file: file,
        table: table, origin: origin ?? path.folder,
        definedVersions: try Self.definedVersions(of: file)))
  }

  /// Loads all that is needed, and looks for the versions.
  mutating func load() {
    for name in preloads { _ = image(named: name, for: 0, isPreload: true) }
    loadNeeded()
    if context.kind == .glibc {
      for index in images.indices { checkVersions(of: index) }
    } else if isDynamic, let path = context.loaderPath, names[path] == nil {
      // musl's loader is last if nothing else has asked for it.
      if let loader = loader(named: path, for: 0) { order.append(loader) }
    }
    sortImages()
  }

  /// The index of the image that a name is, which is loaded if it is new; nil if it is missing.
  ///
  /// - Parameter isOptional: Whether the loader goes on without a word if it is missing.
  mutating func image(
    named name: String, for needer: Int, isPreload: Bool, isOptional: Bool = false
  ) -> Int? {
    if let known = names[name] { return known }
    // Another image may have a search path that leads to it.
    let lastNeeder = missingNames[name]
    if lastNeeder == needer { return nil }
    if context.isLoader(name), let loader = loader(named: name, for: needer) { return loader }
    var search = LibraryLookup(name: name, neededBy: needer, isPreload: isPreload)
    guard let (path, file, reason) = find(name, for: needer, &search),
      let loaded = add(name, path, file, reason, &search)
    else {
      if isOptional { return nil }
      if lastNeeder == nil { missing.append(search.missing) }
      // The loader goes on without one to be preloaded, and looks again if an image needs it.
      if !isPreload { missingNames[name] = needer }
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
    if let why = reason == .loader ? nil : context.kind.refusal(of: file) {
      search.reject(path, why)
      return nil
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
    let (tokens, counting) = (context.tokens, countingOrigin(of: image))
    if let text = image.table[.runPath]?.string {
      image.runPath = tokens.folders(text, origin: image.origin, counting: counting)
    } else if let text = image.table[.rpath]?.string {
      image.rpath = tokens.folders(text, origin: image.origin, counting: counting)
    }
    let index = images.count
    images.append(image)
    // glibc's loader does not know its program again, and refuses that as a library.
    let isKnown = index > 0 || context.kind.refusal(of: image.file) == nil
    if isKnown, let place = FilePlace(image.file.reader.path) { places[place] = index }
    for name in (isKnown ? [image.name, image.path.text] : []) + loaderNames(of: image)
    where names[name] == nil {
      names[name] = index
    }
  }

  /// glibc finds an image by its soname too.
  private func loaderNames(of image: DependencyImage) -> [String] {
    let soname = context.kind == .glibc ? image.table.soname : nil
    let loader = image.reason == .loader ? context.loaderPath : nil
    return [soname, loader].compactMap { $0 }
  }

  // MARK: - Versions

  private mutating func checkVersions(of index: Int) {
    // An error in it keeps no program from being looked at.
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

  /// Which `$ORIGIN` counts in the search path of an image.
  private func countingOrigin(of image: DependencyImage) -> LoaderTokens.Origin {
    guard isSecure else { return .any }
    let isProgram = images.isEmpty
    if context.kind == .glibc { return isProgram ? .trusted : .first }
    return isProgram || !image.path.isAbsolute ? .none : .any
  }
}

extension FilePath {
  /// True if a program runs with the rights of others, by its mode, whoever runs it. Then the
  /// environment does not count. Without the right to run it, `S_ISGID` is for locks.
  var changesUser: Bool {
    var status = stat()
    guard stat(cString, &status) == 0 else { return false }
    return status.st_mode & S_ISUID != 0
      || status.st_mode & (S_ISGID | S_IXGRP) == S_ISGID | S_IXGRP
  }
}
