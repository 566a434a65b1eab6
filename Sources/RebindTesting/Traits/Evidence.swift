#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
internal import Testing

/// A text that a trait attaches to its test. It is made only if the run keeps attachments: `swift test
/// --attachments-path FOLDER`.
private struct Evidence: Attachable, Sendable {
  let text: @Sendable () -> String

  func withUnsafeBytes<Result>(
    for attachment: borrowing Attachment<Self>,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try Array(text().utf8).withUnsafeBytes(body)
  }
}

/// Attaches a text to the current test.
///
/// - Parameter name: The name of the file that it becomes.
func attach(_ name: String, to test: Test, _ text: @escaping @Sendable () -> String) {
  Attachment.record(
    Evidence { text() + "\n" }, named: name, sourceLocation: test.sourceLocation)
}
#endif
#endif
