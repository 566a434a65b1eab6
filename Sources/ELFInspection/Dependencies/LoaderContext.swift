import Rebind
import RebindFiles

/// The common part of all programs of one loader.
final class LoaderContext {
  let kind: LoaderKind
  let root: Sysroot
  let tokens: LoaderTokens
  /// The names of levels of processors, the best first.
  let hardware: [String]
  /// The folders beside those of ordinary libraries that older loaders look into, the best first.
  let legacyFolders: [String]
  /// The libraries of such in the cache.
  let legacyHardware: LegacyHardware?
  /// Where the loader looks when nothing else says where.
  let folders: [(entry: String, folder: FilePath)]
  let cache: LoaderCache?
  /// The loader's path, as programs name it; nil if it is not known.
  let loaderPath: String?
  /// Nil if it is not there.
  let loader: ELFFile?
  /// The reason why the loader is missing; nil if it is not, or if its path is not known.
  let loaderProblem: String?
  let loaderName: String?
  /// The libraries that the system preloads into every program. The corresponding file is
  /// `/etc/ld.so.preload`.
  let preloads: [String]
  private var processorFolders: [FilePath: [FilePath]] = [:]

  init(
    _ kind: LoaderKind, interpreter: String?, of file: ELFFile, _ root: Sysroot
  ) {
    self.kind = kind
    self.root = root
    loaderPath = interpreter ?? kind.usualPath(file.elfClass, file.byteOrder, file.machine)
    (loader, loaderProblem) = Self.loader(loaderPath, for: file, root)
    loaderName = try? self.loader?.dynamicTable?.soname
    let defaults = LoaderDefaults(kind, path: loaderPath ?? "", file: self.loader, root)
    let folders = defaults.folders.map { ($0, root.outside(FilePath($0))) }
    self.folders = folders
    let platform = defaults.namesProcessors ? LoaderProcessor.platform(for: file.machine) : nil
    tokens = LoaderTokens(
      kind: kind, root: root, library: defaults.library,
      platform: platform ?? file.machine.platform, trusted: folders.map(\.1))
    hardware =
      kind == .glibc && defaults.looksForLevels ? LoaderProcessor.folders(for: file.machine) : []
    legacyHardware =
      defaults.looksForLegacyFolders && file.elfClass == .bits64
      ? LoaderProcessor.legacy(for: file.machine) : nil
    legacyFolders = legacyHardware?.folders ?? []
    preloads = kind == .glibc ? Self.preloads(root) : []
    cache = defaults.cache.flatMap {
      LoaderCache(root.resolved(root.outside(FilePath($0))), file.byteOrder)
    }
  }

  /// The folders in a folder that have libraries for better processors, the best first. Few folders
  /// have any.
  func folders(forProcessorIn folder: FilePath) -> [FilePath] {
    if let known = processorFolders[folder] { return known }
    var found = hardware.map { folder.appending("glibc-hwcaps").appending($0) }
    if FilePlace(root.resolved(folder.appending("glibc-hwcaps"))) == nil { found = [] }
    found += legacyFolders.map { folder.appending($0) }
      .filter { FilePlace(root.resolved($0)) != nil }
    processorFolders[folder] = found
    return found
  }

  private static func loader(
    _ path: String?, for file: ELFFile, _ root: Sysroot
  ) -> (ELFFile?, problem: String?) {
    guard let path else { return (nil, nil) }
    do throws(ELFFileError) {
      let loader = try ELFFile(root.resolved(root.outside(FilePath(path))))
      return loader.elfClass == file.elfClass && loader.machine == file.machine
        ? (loader, nil) : (nil, "is for \(loader.platform)")
    } catch {
      return (nil, error.message)
    }
  }

  private static func preloads(_ root: Sysroot) -> [String] {
    let path = root.outside(FilePath("/etc/ld.so.preload"))
    guard let file = try? RegularFile.open(root.resolved(path)), file.size < 1 << 20
    else { return [] }
    return String(decoding: file.read(Int(file.size), at: 0), as: UTF8.self)
      .split { " \t\n:".contains($0) }.map(String.init)
  }

  /// True if a needed name is the loader itself, even if another file has that name.
  func isLoader(_ name: String) -> Bool {
    guard loader != nil else { return false }
    if name == loaderPath || name == loaderName { return true }
    // musl's loader is its C library, and all that others have split from it.
    guard kind == .musl, name.hasPrefix("lib") else { return false }
    return ["c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet."]
      .contains { name.dropFirst(3).hasPrefix($0) }
  }
}

extension Machine {
  /// The value of `$PLATFORM` for processors without a name of their own; nil if it is not known.
  fileprivate var platform: String? {
    switch self {
    case .amd64: "x86_64"
    case .i386: "i686"
    case .aarch64: "aarch64"
    case .arm: "v7l"
    default: nil
    }
  }
}
