#if Macros

import Rebind
import RebindMacros
import RebindRegistry
import TestSupport

@Annotated(group: "RebindMacrosTests", key: "plain", value: "type", priority: 2)
private struct Plain {}

@Annotated(group: "RebindMacrosTests", key: "creatable")
private final class Creatable: AnnotationCreatable, Sendable {
  @Annotated(group: "RebindMacrosTests", key: "nested", priority: -1)
  enum Nested {}

  #annotate("RebindMacrosTests", "factory", priority: 1) { Made(number: 3) }
}

private struct Made { var number: Int }

#annotate("RebindMacrosTests", "text", value: "ä", priority: -2)

/// A registry finds what the macros declare, as SwiftPM links it.
@Suite(.needsMacros, .measured) struct RegistryTests {
  let registry = AnnotationRegistry(group: "RebindMacrosTests")

  @Test func annotationsAreFoundInOrder() throws {
    let entries = try registry.entries
    #expect(
      entries.map { "\($0.key) \($0.value)" }
        == ["plain type", "factory ", "creatable ", "nested ", "text ä"])
    #expect(entries.map { $0.annotation?.line } == [8, 16, 11, 13, 21])
  }

  @Test func accessorsAnswer() throws {
    #expect(try registry.type(for: "plain", as: Any.Type.self) == Plain.self)
    #expect(try registry.type(for: "nested", as: Any.Type.self) == Creatable.Nested.self)
    let made = try (0..<2).map { _ in try registry.make("creatable", as: Creatable.self) }
    #expect(made[0] !== made[1])
    let shared = try (0..<2).map { _ in try registry.shared("creatable", as: Creatable.self) }
    #expect(shared[0] === shared[1])
    #expect(try registry.make("factory", as: Made.self).number == 3)
    #expect(throws: AnnotationRegistryError.self) { try registry.make("plain", as: Plain.self) }
    #expect(throws: AnnotationRegistryError.self) {
      try registry.type(for: "text", as: Any.Type.self)
    }
  }
}

#endif
