import Foundation

// Makes one whole of the archive that `docc merge` has written, and checks it:
//
//   swift package dump-package | pages ARCHIVE LANDING-ARCHIVE C-PRODUCT...
//
// docc of Swift 6.3 has no options for this. Each file here says in which way it falls short.

do {
  let arguments = CommandLine.arguments.dropFirst()
  guard arguments.count > 2 else { throw Fault(description: "pages: too few arguments") }
  let archive = Archive(at: arguments[1])
  let landing = Archive(at: arguments[2])
  let cProducts = Array(arguments.dropFirst(2))
  let package = try JSON.read(FileHandle.standardInput.readToEnd() ?? Data())

  try Landing.replace(in: archive, from: landing)
  try Navigator.join(archive, as: landing)
  try WayBack.add(to: archive)
  try CLanguage.name(in: archive, below: cProducts.map { $0.lowercased() })

  // Each module with a catalog has pages, whether it is a product or not.
  let modules = package[objects: "targets"].compactMap { $0[string: "name"] }.filter {
    FileManager.default.fileExists(atPath: "Sources/\($0)/\($0).docc")
  }
  let products = package[objects: "products"].compactMap { $0[string: "name"] }
  var checks = Checks(
    archive: archive, products: Set(products + modules).sorted(), cProducts: cProducts)
  try checks.run()
  for fault in checks.faults.prefix(20) {
    FileHandle.standardError.write(Data("docs: \(fault)\n".utf8))
  }
  exit(checks.faults.isEmpty ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("docs: \(error)\n".utf8))
  exit(1)
}
