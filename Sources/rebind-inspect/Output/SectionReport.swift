#if Commands

import Rebind
import RebindFiles

/// What `section` found in a file, and as what it is shown.
struct SectionReport: ReportBody {
  let subject: ReportSubject
  let contents: SectionContents
  let view: SectionView

  /// Throws if the bytes are not what they are to be shown as, which is no fault of the file's.
  init(
    of file: ELFFile, _ contents: SectionContents, as view: SectionView
  ) throws(ELFFileError) {
    subject = ReportSubject(file)
    self.contents = contents
    self.view = view
    let field = "section \(contents.section.name)"
    let bytes = contents.bytes
    func unsupported(_ why: String) -> ELFFileError {
      file.reader.error(.unsupported(why), field: field, at: contents.offset)
    }
    switch view {
    case .strings:
      if let last = bytes.last, last != 0 {
        throw unsupported("ends without the zero byte of its last string")
      }
    case .pointers:
      let word = file.elfClass.addressSize
      guard bytes.count % word == 0 else {
        throw unsupported("has \(bytes.count) bytes, no multiple of an address's \(word)")
      }
    case .hex, .raw: break
    }
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    switch view {
    case .strings:
      forEachString { offset, bytes in
        output.append(text: "\(hexadecimal(offset)) ")
        output.append(name: bytes, .line)
        output.append(text: "\n")
      }
    case .pointers:
      forEachPointer { pointer in
        output.append(text: hexadecimal(pointer.address))
        output.append(text: pointer.value.map { " " + hexadecimal($0) } ?? " ?")
        if let text = pointer.string ?? pointer.symbol.map({ Array($0.utf8) }) {
          output.append(text: " ")
          text.withUnsafeBytes { output.append(name: $0, .line) }
        }
        output.append(text: "\n")
      }
    case .hex, .raw:
      HexDump.write(contents.bytes, address: contents.section.address, in: &output)
    }
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    writeHeader(in: &output)
    output.append(text: ",\"base64\":\"")
    Base64.write(contents.bytes, in: &output)
    output.append(text: "\"")
    var isFirst = true
    switch view {
    case .strings:
      output.append(text: ",\"strings\":[")
      forEachString { offset, bytes in
        output.begin(isFirst: &isFirst, separator)
        output.append(text: "{\"offset\":\"\(hexadecimal(offset))\",\"string\":\"")
        output.append(name: bytes, .json)
        output.append(text: "\"}")
      }
      output.append(text: "]")
    case .pointers:
      output.append(text: ",\"pointers\":[")
      forEachPointer { pointer in
        output.begin(isFirst: &isFirst, separator)
        output.append(text: "{\"address\":\"\(hexadecimal(pointer.address))\"")
        output.append(key: "value", hex: pointer.value)
        output.append(
          key: "string", text: pointer.string.map { String(decoding: $0, as: UTF8.self) })
        output.append(key: "symbol", text: pointer.symbol)
        output.append(text: "}")
      }
      output.append(text: "]")
    case .hex, .raw: break
    }
  }

  private func writeHeader(in output: inout OutputBuffer) {
    let section = contents.section
    output.append(text: ",\"section\":{\"name\":\"")
    output.append(json: section.name)
    output.append(text: "\"")
    output.append(key: "source", text: section.provenance.code)
    output.append(key: "type", text: section.type.term(on: subject.machine))
    output.append(key: "typeValue", number: section.type.rawValue)
    output.append(key: "flags", text: section.flags.description)
    output.append(key: "flagsValue", hex: section.flags.rawValue)
    output.append(key: "address", hex: section.address)
    output.append(key: "offset", hex: contents.offset)
    output.append(key: "size", number: section.size)
    output.append(key: "alignment", number: section.alignment)
    output.append(key: "entrySize", number: section.entrySize)
    output.append(key: "contentSize", number: contents.bytes.count)
    output.append(text: "}")
  }
}

#endif
