import Rebind
package import RebindFiles

/// The image and symbol that an address of a process is in.
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

  /// `PATH:symbol+0x4`, `PATH+0x4` where no symbol covers it, and the address where nothing is.
  package var text: String {
    guard let place else { return hexadecimal(address) }
    var text = place.text.isEmpty ? "anonymous" : place.text
    if let symbol { text += ":" + symbol }
    return offset == 0 && symbol != nil ? text : text + "+" + hexadecimal(offset)
  }
}
