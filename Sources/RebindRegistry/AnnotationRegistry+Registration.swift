internal import Rebind
internal import Synchronization

extension AnnotationRegistry {
  /// Registers a type from code, and how to create an instance of it.
  ///
  /// The image that the call is in stays loaded for good, as it has Swift code. If it is a
  /// `Plugin`, its registrations go with it, and come back when it is loaded again.
  ///
  /// - Parameters:
  ///   - key: The key by which the entry is found.
  ///   - value: Further text for the group's registry.
  ///   - priority: Entries with a higher priority come first.
  ///   - file: Where the call is, for messages.
  ///   - line: Where the call is, for messages.
  ///   - image: An address in the image that the call is in.
  ///   - create: Makes a new instance, on any thread.
  /// - Precondition: `key` is not empty.
  /// - Complexity: O(1), but for the first call of an image: O(images).
  public func register<Value>(
    _ key: String, value: String = "", priority: Int = 0, file: String = #fileID,
    line: Int = #line, image: UnsafeRawPointer = #dsohandle,
    create: @escaping @Sendable () throws -> Value
  ) {
    register(
      Registration(
        id: 0, key: key, value: value, priority: priority, file: file, line: line,
        type: Value.self, create: create), address: image)
  }

  /// Registers a type from code.
  ///
  /// - Parameters:
  ///   - key: The key by which the entry is found.
  ///   - value: Further text for the group's registry.
  ///   - priority: Entries with a higher priority come first.
  ///   - file: Where the call is, for messages.
  ///   - line: Where the call is, for messages.
  ///   - image: An address in the image that the call is in.
  ///   - type: The type that `type(for:as:)` gives for the key.
  /// - Precondition: `key` is not empty.
  /// - Complexity: O(1), but for the first call of an image: O(images).
  public func register(
    _ key: String, value: String = "", priority: Int = 0, file: String = #fileID,
    line: Int = #line, image: UnsafeRawPointer = #dsohandle, type: Any.Type
  ) {
    register(
      Registration(
        id: 0, key: key, value: value, priority: priority, file: file, line: line, type: type),
      address: image)
  }

  private func register(_ registration: Registration, address: UnsafeRawPointer) {
    precondition(!registration.key.isEmpty, "an annotation's key must not be empty")
    var registration = registration
    let held = HeldImage.containing(UInt(bitPattern: address))
    registration.image = held?.image
    registration.hold = held?.hold
    state.withLock { state in
      state.nextRegistration += 1
      registration.id = state.nextRegistration
      state.registrations.append(registration)
      state.version += 1
    }
  }

  /// Takes back what `register` was called with for a key, and its singleton.
  ///
  /// - Complexity: O(1) for a key that was registered once.
  public func unregister(_ key: String) {
    // Freed without the lock: their code may run then.
    var dropped: [Registration] = []
    var singletons: [Singleton] = []
    var view: View?
    state.withLock { state in
      dropped = state.registrations.remove(key)
      for registration in dropped {
        if let singleton = state.singletons.removeValue(forKey: registration.identity) {
          singletons.append(singleton)
        }
      }
      // It has them, too.
      view = state.view
      state.view = nil
      state.version += 1
    }
    withExtendedLifetime((dropped, singletons, view)) {}
  }
}
