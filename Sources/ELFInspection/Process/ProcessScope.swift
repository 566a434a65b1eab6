import Glibc
import Rebind
package import RebindFiles

/// The images of a process together: what an address is in, and whether a slot leads where the
/// loader binds it.
package final class ProcessScope {
  package let pid: Int32
  /// In the loader's order, as far as it knows them; then by address, and the vDSO last.
  package let images: [LoadedImage]
  let mappings: [ProcessMapping]
  private let memory: ProcessMemory
  /// The loader's own statements; nil without a loader, or if it has not said where its list is.
  private let loader: (address: UInt64, program: LoadedImage, list: LoaderList)?
  private var last: LoadedImage?
  /// The definitions of the images, for references to be looked up in.
  private(set) lazy var scope = SymbolScope(
    images.map { $0.isVDSO ? nil : $0.symbols }, loaderKind)
  private(set) lazy var loaderKind = LoaderKind(
    interpreter: images.first?.interpreter, needed: images.first?.table.needed ?? [])

  /// Where the loader's entries have the addresses of tables.
  private(set) lazy var tablePlaces: [TablePointer.Key: Int] = Self.places(of: images, in: self)

  /// The ranges that mseal(2) has sealed. Asked for once: the kernel walks all pages for it.
  private(set) lazy var sealed = Self.sealedRanges(pid: pid)

  /// Throws if the process may not be looked at, or is not there.
  package init(pid: Int32) throws(ELFFileError) {
    let found = try ProcessImages(pid: pid)
    self.pid = pid
    memory = found.memory
    mappings = found.mappings
    var images = found.images.map { LoadedImage($0) }
    if let vdso = found.vdso { images.append(LoadedImage(vdso, isVDSO: true)) }
    loader = Self.loader(of: images, found.memory)
    if let loader {
      self.images = Self.ordered(images, loader.program, loader.list, found.memory)
    } else {
      self.images = images
    }
  }

  /// False while the loader of the process loads or unloads images, and once it has done so since
  /// they were looked for.
  package var isSettled: Bool {
    guard let loader else { return true }
    return loader.list.isConsistent
      && loader.list == LoaderList(at: loader.address, memory, loader.program.image.elfClass)
      && loader.list.images.allSatisfy { image in
        images.contains { $0.tableAddress == image.table }
          || mappings.contains { $0.start <= image.table && image.table < $0.end }
      }
  }

  /// The images that have slots of their own: all but the kernel's.
  package var ordinaryImages: [LoadedImage] { images.filter { !$0.isVDSO } }

  /// The image that a run-time address lies in.
  package func image(with address: UInt64) -> LoadedImage? {
    if let last, last.contains(address) { return last }
    guard let found = images.first(where: { $0.contains(address) }) else { return nil }
    last = found
    return found
  }

  /// True for a program alone, which asks for no loader.
  package var isStatic: Bool {
    ordinaryImages.allSatisfy { $0.interpreter == nil } && ordinaryImages.count == 1
  }

  /// The target of an address; of several symbols that of the name.
  package func target(at address: UInt64, hint: UnsafePointer<CChar>? = nil) -> ProcessTarget {
    guard let image = image(with: address) else {
      let mapping = mappings.first { address >= $0.start && address < $0.end }
      return ProcessTarget(
        address: address, image: nil, place: mapping.map { FilePath($0.path) }, symbol: nil,
        offset: address - (mapping?.start ?? 0))
    }
    let symbol = image.symbol(at: address, hint: hint)
    return ProcessTarget(
      address: address, image: image, place: image.image.path, symbol: symbol?.name,
      offset: symbol?.offset ?? image.linked(address))
  }

  /// The word at a run-time address; nil if it is not there.
  func word(at address: UInt64, _ elfClass: ELFClass) -> UInt64? {
    memory.word(at: address, elfClass)
  }

  /// The bytes at a run-time address; nil if not all of them are there.
  func bytes(at address: UInt64, _ count: UInt64) -> [UInt8]? { memory.read(address, count) }
}
