import ELFInspection
import TestSupport

/// By which other names calls of a function may go.
@Suite(.measured) struct FunctionVariantTests {
  @Test(arguments: [
    ("open", ["open64", "__open_2", "openat"]), ("open64", ["open"]),
    ("printf", ["puts", "putchar", "__printf_chk"]),
    ("fprintf", ["fputc", "fwrite", "fputs"]), ("atexit", ["__cxa_atexit"]),
    ("fgetc", ["getc", "_IO_getc"]), ("getc", ["_IO_getc", "fgetc", "getc_unlocked"]),
    ("toupper", ["__ctype_toupper_loc"]), ("tolower", ["__ctype_tolower_loc"]),
    ("sscanf", ["__isoc99_sscanf", "__isoc23_sscanf"]),
  ])
  func otherNames(of name: String, are some: [String]) {
    let names = FunctionVariants.names(of: name)
    #expect(names.isSuperset(of: some) && !names.contains(name) && !names.contains(""))
  }

  @Test func onlyTheNameItself() {
    #expect(!FunctionVariants.names(of: "puts").contains("printf"))
    #expect(FunctionVariants.names(of: "my_printf").isDisjoint(with: ["puts", "putchar"]))
  }
}
