import RebindFiles

/// The search for one library: where it went, and what it passed over.
struct LibraryLookup {
  let name: String
  let neededBy: Int
  let isPreload: Bool
  private var searched: [FilePath] = []
  /// The same: a search path may have as many folders as its file has bytes.
  private var known: Set<FilePath> = []
  private var rejected: [RejectedLibrary] = []
  private var asked: Set<Int> = []
  /// True once a file was found that makes a loader give up.
  private var hasGivenUp = false

  init(name: String, neededBy: Int, isPreload: Bool) {
    self.name = name
    self.neededBy = neededBy
    self.isPreload = isPreload
  }

  var missing: MissingLibrary {
    MissingLibrary(
      name: name, neededBy: neededBy, isPreload: isPreload, searched: searched, rejected: rejected)
  }

  /// Whether the search path of an image was asked already.
  func hasAsked(_ image: Int) -> Bool { asked.contains(image) }
  mutating func ask(_ image: Int) { asked.insert(image) }

  mutating func reject(_ path: FilePath, _ why: String) {
    rejected.append(RejectedLibrary(path: path, why: why))
  }

  /// The library's file in a folder, or in one beside it for better processors.
  mutating func look(
    in folder: FilePath, _ context: LoaderContext, like program: ELFFile
  ) -> (FilePath, ELFFile)? {
    if hasGivenUp { return nil }
    if known.insert(folder).inserted { searched.append(folder) }
    for folder in context.folders(forProcessorIn: folder) + [folder] {
      let path = folder.appending(name)
      if let file = open(path, context, like: program) { return (path, file) }
    }
    return nil
  }

  /// Opens a file if it is one that the program can load.
  mutating func open(_ path: FilePath, _ context: LoaderContext, like program: ELFFile) -> ELFFile?
  {
    if hasGivenUp { return nil }
    do throws(ELFFileError) {
      let file = try ELFFile(context.root.resolved(path))
      let isOther = file.elfClass != program.elfClass || file.machine != program.machine
      if !isOther, file.byteOrder == program.byteOrder { return file }
      reject(path, "is for \(file.platform)")
      // glibc goes on behind a file for others; musl takes whatever opens.
      hasGivenUp =
        context.kind == .musl
        || file.elfClass == program.elfClass && file.byteOrder != program.byteOrder
      return nil
    } catch {
      if error.code == .notFound { return nil }
      reject(path, error.message)
      hasGivenUp = error.code != .permissionDenied
      return nil
    }
  }
}

extension ELFFile {
  /// The processors that it is for: `64-bit little-endian x86-64`.
  var platform: String {
    let byteOrder = byteOrder == .little ? "little-endian" : "big-endian"
    return "\(elfClass.addressSize * 8)-bit \(byteOrder) \(machine)"
  }
}
