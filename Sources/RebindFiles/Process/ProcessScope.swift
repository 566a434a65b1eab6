import Glibc
import Rebind

/// The images of a process together: what an address is in, and whether a slot leads where the
/// loader binds it.
package final class ProcessScope {
  package let pid: Int32
  /// In the loader's order, as far as it knows them; then by address, and the vDSO last.
  package let images: [LoadedImage]
  let mappings: [ProcessMapping]
  private let memory: ProcessMemory
  private var last: LoadedImage?
  /// What the images define, for references to be looked up in.
  private(set) lazy var scope = SymbolScope(
    images.map { $0.isVDSO ? nil : $0.symbols },
    LoaderKind(
      interpreter: images.first?.interpreter, needed: images.first?.table.needed ?? []))

  /// Throws if the process may not be looked at, or is not there.
  package init(pid: Int32) throws(ELFFileError) {
    let found = try ProcessImages(pid: pid)
    self.pid = pid
    memory = found.memory
    mappings = found.mappings
    var images = found.images.map { LoadedImage($0) }
    if let vdso = found.vdso { images.append(LoadedImage(vdso, isVDSO: true)) }
    self.images = Self.ordered(images, memory)
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

  /// True if there is a program alone, which asks for no loader.
  package var isStatic: Bool {
    ordinaryImages.allSatisfy { $0.interpreter == nil } && ordinaryImages.count == 1
  }

  /// What an address is in; of several symbols that of the name.
  package func target(at address: UInt64, hint: UnsafePointer<CChar>? = nil) -> ProcessTarget {
    guard let image = image(with: address) else {
      let mapping = mappings.first { address >= $0.start && address < $0.end }
      return ProcessTarget(
        address: address, image: nil, place: mapping.map { FilePath($0.path) }, symbol: nil,
        offset: address - (mapping?.start ?? 0))
    }
    let linked = image.linked(address)
    let symbol = image.places?.symbol(at: linked, hint: hint)
    return ProcessTarget(
      address: address, image: image, place: image.image.path, symbol: symbol?.name,
      offset: symbol?.offset ?? linked)
  }

  /// The word at a run-time address; nil if it is not there.
  func word(at address: UInt64, _ elfClass: ELFClass) -> UInt64? {
    memory.word(at: address, elfClass)
  }

  // MARK: - The order

  private static func ordered(_ images: [LoadedImage], _ memory: ProcessMemory) -> [LoadedImage] {
    guard
      let (program, list) = images.lazy.compactMap({ image -> (LoadedImage, LoaderList)? in
        guard let address = image.table[.debug]?.value, address != 0
        else { return nil }
        return (image, LoaderList(at: address, memory, image.image.elfClass))
      }).first
    else { return images }
    var ordered: [LoadedImage] = []
    for table in list.dynamicTables {
      guard let image = images.first(where: { $0.tableAddress == table }) else { continue }
      image.order = ordered.count
      ordered.append(image)
    }
    if LoaderKind(interpreter: program.interpreter, needed: program.table.needed) == .glibc {
      ordered.first { $0.contains(list.loaderBase) }?.isLoader = true
    }
    // What lies between the program and the first that it needs, it did not ask for.
    let needed = Set(program.table.needed)
    let candidates = ordered.dropFirst().prefix { needed.isDisjoint(with: $0.names) }
    if candidates.count < ordered.count - 1 {
      for image in candidates where !image.isVDSO && !image.contains(list.loaderBase) {
        image.isPreloaded = true
      }
    }
    return ordered + images.filter { $0.order == nil }
  }
}
