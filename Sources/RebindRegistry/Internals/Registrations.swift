internal import Rebind

/// The calls of `register` that count, found by key.
extension AnnotationRegistry {
  struct Registrations: Sendable {
    private var byKey: [String: [Registration]] = [:]

    /// All of them, in the order of the calls.
    var inOrder: [Registration] { byKey.values.joined().sorted { $0.id < $1.id } }

    mutating func append(_ registration: Registration) {
      byKey[registration.key, default: []].append(registration)
    }

    /// Removes the registrations of a key, and returns them.
    mutating func remove(_ key: String) -> [Registration] { byKey.removeValue(forKey: key) ?? [] }

    func contains(_ identity: Identity, for key: String) -> Bool {
      byKey[key]?.contains { $0.identity == identity } == true
    }
  }
}
