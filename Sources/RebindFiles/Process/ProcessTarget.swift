/// What an address of a process is in.
package struct ProcessTarget {
  /// The run-time address.
  package let address: UInt64
  /// Nil for memory of no image, such as code that was made while the program ran.
  package let image: LoadedImage?
  /// The image's path, or what the kernel calls the memory; nil if nothing is there.
  package let place: FilePath?
  /// The symbol that it is in; nil if none covers it.
  package let symbol: String?
  /// From the symbol; without one from the image's link-time address 0, or from the start of the
  /// memory.
  package let offset: UInt64
}
