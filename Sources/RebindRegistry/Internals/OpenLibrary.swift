internal import Rebind
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A reference to a library, as dlopen gives it.
final class OpenLibrary: Sendable {
  let image: Image
  /// The images whose annotations go with it.
  private let members: [Image.ID]
  /// The address that dlopen gave; nil when it was given back.
  private let handle: Mutex<UInt?>

  init(path: String) throws(PluginError) {
    // C would read up to the zero byte, and open something else.
    guard !path.utf8.contains(0) else {
      throw PluginError(code: .invalidPath, path: path, reason: "the path has a zero byte")
    }
    let before: [Image]
    do throws(RebindError) { before = try Image.all } catch {
      throw PluginError(code: .images, path: path, reason: "\(error)", underlyingError: error)
    }
    guard let pointer = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      let text = dlerror().map { String(cString: $0) }
      throw PluginError(
        code: .notOpened, path: path, reason: text ?? "the loader does not say why")
    }
    do throws(RebindError) {
      let images = try Image.all
      guard let image = images.first(where: { $0.isHandle(pointer) }) else {
        throw RebindError(code: .noSuchImage, image: path)
      }
      // Pins an image with Swift code, and nothing else.
      _ = try ImageHold(image)
      self.image = image
      members = AnnotationStore.shared.open(
        images.needed(by: image), before: Set(before.map(\.id)))
    } catch {
      dlclose(pointer)
      throw PluginError(code: .images, path: path, reason: "\(error)", underlyingError: error)
    }
    handle = Mutex(UInt(bitPattern: pointer))
    // A record that cannot be read now is read at the next look.
    _ = try? AnnotationStore.shared.current()
  }

  /// Gives the reference back; nothing happens the second time.
  func close() {
    guard let handle = handle.withLock({ $0.take() }),
      let pointer = UnsafeMutableRawPointer(bitPattern: handle)
    else { return }
    let store = AnnotationStore.shared
    store.close(members)
    // Observers hear of it while the image is there.
    store.tellObservers()
    dlclose(pointer)
    store.forget(members)
    _ = try? store.current()
  }
}

extension Image {
  /// True for the image that a result of dlopen stands for.
  ///
  /// It points to a `struct link_map`, with glibc and with musl: load bias, path and dynamic
  /// table.
  fileprivate func isHandle(_ handle: UnsafeMutableRawPointer) -> Bool {
    let words = handle.assumingMemoryBound(to: UInt.self)
    return UInt64(words[0]) == loadBias && UInt64(words[2]) == id.dynamicTableAddress
  }
}

extension [Image] {
  /// An image and those that it needs, directly or not.
  fileprivate func needed(by image: Image) -> [Image] {
    var found = [image]
    var index = 0
    while index < found.count {
      for name in found[index].needed {
        if let image = first(where: { $0.isNamed(name) }), !found.contains(image) {
          found.append(image)
        }
      }
      index += 1
    }
    return found
  }
}
