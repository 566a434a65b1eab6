#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The start of each file object of the JSON: the input, and the facts of its ELF header.
struct ReportSubject {
  var path: FilePath
  let elfClass: ELFClass
  let byteOrder: ByteOrder
  let machine: Machine
  let type: ImageType
  private let input: Input

  /// The input itself, for the formats that show more of it.
  private enum Input {
    case file(ELFFile)
    case image(ProcessImage)
  }

  /// The name that others ask for it by; nil for none, or if its dynamic table is broken.
  var soname: String? { ((try? file.dynamicTable) ?? nil)?.soname }

  /// The identifier of its build; nil for none, or if its notes are broken.
  var buildID: String? { ((try? file.buildID) ?? nil).map { "\($0)" } }

  /// The file, or the image in memory.
  private var file: ELFFile {
    switch input {
    case .file(let file): file
    case .image(let image): ELFFile(loaded: image)
    }
  }
}

extension ReportSubject {
  init(_ file: ELFFile) {
    self.init(
      path: file.reader.path, elfClass: file.elfClass, byteOrder: file.byteOrder,
      machine: file.machine, type: file.type, input: .file(file))
  }

  init(_ image: ProcessImage) {
    self.init(
      path: image.path, elfClass: image.elfClass, byteOrder: image.byteOrder,
      machine: image.machine, type: image.type, input: .image(image))
  }
}

#endif
