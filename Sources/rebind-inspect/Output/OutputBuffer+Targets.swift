import Rebind
import RebindFiles

extension ProcessTarget {
  /// `PATH:symbol+0x4`, `PATH+0x4` where no symbol covers it, and the address where nothing is.
  var text: String {
    guard let place else { return hexadecimal(address) }
    var text = place.text.isEmpty ? "anonymous" : place.text
    if let symbol { text += ":" + symbol }
    return offset == 0 && symbol != nil ? text : text + "+" + hexadecimal(offset)
  }
}

extension OutputBuffer {
  /// Appends an object with the address, what has it, and the symbol; `null` for none.
  mutating func append(key: StaticString, target: ProcessTarget?) {
    guard let target else { return append(key: key, text: nil) }
    append(text: ",\"\(key)\":{\"address\":\"\(hexadecimal(target.address))\"")
    append(key: "image", text: target.place?.text)
    append(key: "symbol", text: target.symbol)
    append(key: "offset", hex: target.offset)
    append(text: "}")
  }
}
