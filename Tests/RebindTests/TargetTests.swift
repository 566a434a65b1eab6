import Rebind
import TestSupport

@Suite(.measured) struct TargetTests {
  /// dladdr is the witness, for the first, the last and an inner byte.
  @Test func namesWhatAnAddressIsIn() throws {
    let libc = try #require(try Image.named("libc.so.6"))
    let symbol = try #require(try libc.symbols(named: "qsort").first)
    for offset in [0, 5, symbol.size - 1] {
      let target = try Target.at(libc.loadBias + symbol.value + offset)
      let info = try #require(LoaderInfo(target.address))
      #expect(target.symbol == info.symbol && target.offset == offset)
      #expect(target.image == libc)
    }
    let header = try Target.at(libc.header + 16)
    #expect(header.symbol == nil && header.offset == 16)
    #expect(header.description == "\(libc.name)+0x10")
    let nowhere = try Target.at(16 as UInt)
    #expect(nowhere.image == nil && nowhere.description == "0x10")
  }

  @Test func lookupFindsTheDefinition() throws {
    let target = try #require(try Target.lookup("getppid"))
    #expect(target.symbol == "getppid" && target.image?.soname == "libc.so.6")
    #expect(target.description == "getppid in \(try #require(target.image).name)")
    #expect(try Target.lookup("rebind_no_such_function") == nil)
    #expect(try Target.lookup("getppid\0") == nil)
  }
}
