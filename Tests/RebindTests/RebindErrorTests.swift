import Glibc
import Rebind
import TestSupport
import Testing

/// An error says what failed, where and why, and what to do.
@Suite(.measured) struct RebindErrorTests {
  @Test(arguments: [
    (
      RebindError(code: .staticExecutable, symbol: "open"),
      "cannot rebind open: ", "; link the program dynamically"
    ),
    (
      RebindError(code: .brokenImage, symbol: "open", image: "/lib/x.so", tag: 6),
      "cannot rebind open in /lib/x.so: ", "(tag SYMTAB); leave the image out of the scope"
    ),
    (
      RebindError(
        code: .protection, symbol: "open", image: "/lib/x.so", systemError: EACCES, address: 16),
      "cannot rebind open in /lib/x.so: ",
      "(address 0x10, Permission denied); a security policy may forbid it, or leave the image "
        + "out of the scope"
    ),
    (
      RebindError(code: .noSuchImage, image: "/lib/x.so"),
      "cannot look at /lib/x.so: ", "; look it up again with Image.all"
    ),
    (RebindError(code: .busy), "cannot look at the images: ", "; try again"),
    (
      RebindError(code: .duplicateName, symbol: "open"),
      "cannot rebind open: ", "; leave one of them out"
    ),
    (
      RebindError(code: .notActive, symbol: "open"), "open is not rebound: ", "apply it first"
    ),
  ])
  func describesItself(error: RebindError, start: String, end: String) {
    #expect(error.description.hasPrefix(start))
    #expect(error.description.hasSuffix(end))
    #expect(!error.description.contains("\n"))
  }
}
