#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The start of each file object of the JSON: the input, and the facts of its ELF header.
struct ReportSubject {
  let path: FilePath
  let elfClass: ELFClass
  let byteOrder: ByteOrder
  let machine: Machine
  let type: ImageType
}

extension ReportSubject {
  init(_ file: ELFFile) {
    self.init(
      path: file.reader.path, elfClass: file.elfClass, byteOrder: file.byteOrder,
      machine: file.machine, type: file.type)
  }

  init(_ image: ProcessImage) {
    self.init(
      path: image.path, elfClass: image.elfClass, byteOrder: image.byteOrder,
      machine: image.machine, type: image.type)
  }
}

#endif
