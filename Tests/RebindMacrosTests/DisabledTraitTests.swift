import TestSupport

/// The view of a package that uses the macros without the trait: `make test-traits`.
@Suite(.enabled(if: !PackageTraits.hasMacros, "the trait Macros is enabled"), .measured)
struct DisabledTraitTests {
  @Test(arguments: [
    "@Annotated(group: \"a\", key: \"b\") struct Mail {}", "#annotate(\"a\", \"b\")",
    "#annotate(\"a\", \"b\") { 1 }",
  ])
  func theErrorNamesTheTrait(declaration: String) throws {
    let result = try compileSwift("import RebindMacros\n\(declaration)")
    #expect(!result.succeeded)
    #expect(result.errorOutput.contains("is unavailable: enable the trait Macros of rebind"))
  }
}
