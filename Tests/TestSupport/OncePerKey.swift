import Synchronization

/// A value for each key, which the first test that needs it makes; others wait for theirs alone.
public final class OncePerKey<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private final class Entry: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
  }

  private let entries = Mutex<[Key: Entry]>([:])

  public init() {}

  /// The value for the key; an error is kept, too.
  public func value(for key: Key, _ make: () throws -> Value) throws -> Value {
    let entry = entries.withLock { entries in
      let entry = entries[key] ?? Entry()
      entries[key] = entry
      return entry
    }
    return try entry.value.withLock { value in
      let result = value ?? Result { try make() }
      value = result
      return result
    }.get()
  }
}
