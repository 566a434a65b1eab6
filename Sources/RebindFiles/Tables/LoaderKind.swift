import Rebind

/// The loader whose rules find the libraries of a program.
package enum LoaderKind: String, Sendable {
  case glibc, musl

  /// By the loader that the file asks for, or else by the C library that it needs.
  package init(interpreter: String?, needed: [String]) {
    if let interpreter {
      self = FilePath(interpreter).lastComponent.hasPrefix("ld-musl-") ? .musl : .glibc
    } else {
      self = needed.contains { $0 == "libc.so" || $0.hasPrefix("libc.musl-") } ? .musl : .glibc
    }
  }

  /// By what the file asks for; what is wrong with that makes it glibc's.
  package init(of file: ELFFile) {
    self.init(
      interpreter: (try? file.interpreter) ?? nil,
      needed: ((try? file.dynamicTable) ?? nil)?.needed ?? [])
  }
}
