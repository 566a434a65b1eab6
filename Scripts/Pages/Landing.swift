import Foundation

/// The page at the top: docc merges archives below a page that it makes itself, which has
/// no text. A page of ours, converted like any other, takes its place.
enum Landing {
  static let address = "/documentation"
  static let name = "All products"

  /// The address of a product's first page.
  static func address(of product: String) -> String { "\(address)/\(product.lowercased())" }

  static func replace(in archive: Archive, from landing: Archive) throws {
    var page = try landing.read(ownPage(of: landing))
    // It has no page above it.
    page["hierarchy"] = nil
    try JSON.write(page, to: archive.landingPage)
    // The pages know no address `/`, and would say that nothing can be found there.
    try Data(redirection.utf8).write(to: archive.folder.appending(path: "index.html"))
  }

  /// The only page of its archive.
  private static func ownPage(of landing: Archive) throws -> URL {
    let pages = try landing.pages()
    guard let page = pages.first, pages.count == 1 else {
      throw Fault(description: "\(pages.count) pages in the archive of the landing page")
    }
    return page
  }

  /// Relative, so that the folder may be served below any address.
  private static let redirection = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <title>Rebind</title>
    <meta http-equiv="refresh" content="0; url=documentation/">
    <p>The documentation of Rebind is in <a href="documentation/">documentation</a>.</p>
    </html>

    """
}
