public import Foundation
import Testing

/// Has a linked x86-64 file be as `ld -z mark-plt` writes it: addends in its jump slots.
public func markPLT(of file: URL) throws {
  let script = Places.fixture("mark-plt.py")
  let result = try run(Places.python, [script.path, file.path])
  try #require(result.succeeded && Int(result.output.dropLast()) ?? 0 > 0)
}
