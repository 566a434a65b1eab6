#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import CRebindTesting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// libffi, which calls handlers. It is opened when the first handler is made, so that a test that has
/// none does not need it, and nothing has to be installed to build.
enum Libffi {
  /// The library's versions that have the same interface.
  private static let names = ["libffi.so.8", "libffi.so.7", "libffi.so.6"]

  private static let isThere = withOriginals { names.contains(where: use) }

  /// - Throws: `RebindTestingError`, which says what to install.
  static func require(for symbol: String) throws(RebindTestingError) {
    guard isThere else { throw RebindTestingError(code: .libffiMissing, symbol: symbol) }
  }

  private static func use(_ name: String) -> Bool {
    guard dlopen(name, RTLD_NOW) != nil, let image = Opened(name),
      let prepare = image.address(of: "ffi_prep_cif"), let call = image.address(of: "ffi_call"),
      let allocate = image.address(of: "ffi_closure_alloc"),
      let free = image.address(of: "ffi_closure_free"),
      let prepareClosure = image.address(of: "ffi_prep_closure_loc")
    else { return false }
    crebind_testing_use_libffi(prepare, call, allocate, free, prepareClosure)
    return true
  }
}

/// A loaded image, by its soname.
private struct Opened {
  private var name: String
  private var header: UnsafeRawPointer?
  private var bias = 0

  /// Nil if no image has that soname.
  init?(_ name: String) {
    self.name = name
    withUnsafeMutablePointer(to: &self) { opened in
      _ = crebind_images(
        { image, opened in
          guard let opened = opened?.assumingMemoryBound(to: Opened.self),
            String(cString: image.pointee.info.soname) == opened.pointee.name
          else { return }
          opened.pointee.header = image.pointee.info.header
          opened.pointee.bias = image.pointee.info.slide
        }, opened, nil)
    }
    if header == nil { return nil }
  }

  /// Not by dlsym: each rebinding waits for threads that may be in it, where the image of a replacement
  /// imports it.
  func address(of name: String) -> UnsafeMutableRawPointer? {
    guard let header else { return nil }
    var value: UInt64 = 0
    withUnsafeMutablePointer(to: &value) { value in
      _ = crebind_symbols(
        header, name,
        { symbol, value in
          value?.assumingMemoryBound(to: UInt64.self).pointee = symbol.pointee.value
        }, value, nil)
    }
    return value == 0 ? nil : UnsafeMutableRawPointer(bitPattern: bias &+ Int(value))
  }
}
#endif
