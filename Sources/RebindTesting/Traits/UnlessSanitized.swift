#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
internal import CRebind
public import Testing

extension Trait where Self == ConditionTrait {
  /// Skips the test where the program is built with a sanitizer for addresses, memory, leaks or threads.
  ///
  /// A sanitizer defines functions of the C library in the program, so the program's calls of them go
  /// through no slot. A trait for a fault, a clock or a recording cancels its test itself if it cannot see
  /// these calls. Use this trait for tests that call `withFailing` and its like.
  public static var unlessSanitized: Self {
    .disabled(if: hasSanitizer(), "a sanitizer defines functions that the test rebinds")
  }
}

private func hasSanitizer() -> Bool {
  ["__asan_init", "__hwasan_init", "__lsan_init", "__msan_init", "__tsan_init"].contains {
    (name: String) in crebind_lookup(name) != nil
  }
}

/// Cancels a test of a trait where a sanitizer defines a function that the trait rebinds. All other mistakes
/// are left to the trait's scope.
///
/// To be called by `prepare(for:)`: in a scope, it would count as passed for a test with arguments.
func cancelIfIntercepted(_ test: Test, _ symbols: some Sequence<String>) throws {
  guard hasSanitizer() else { return }
  for symbol in symbols {
    do throws(RebindTestingError) {
      try withOriginals { () throws(RebindTestingError) in try HookRegistry.shared.prepare(symbol) }
    } catch  where error.code == .intercepted {
      // Swift 6.2 cannot cancel a test.
      #if compiler(>=6.3)
      try Test.cancel("\(error)", sourceLocation: test.sourceLocation)
      #else
      throw error
      #endif
    } catch {}
  }
}
#endif
#endif
