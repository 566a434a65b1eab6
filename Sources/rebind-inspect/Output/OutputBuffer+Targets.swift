#if Commands

import ELFInspection
import Rebind
import RebindFiles

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

#endif
