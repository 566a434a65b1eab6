import RebindRegistry

/// Makes what a program is made of: annotated types, and what modules bind.
public final class Injector {
  private var bindings: [Key: Binding] = [:]
  private var shared: [Key: Any] = [:]
  /// The instances that are being made, the last one for the one before it.
  private var chain: [Key] = []

  /// An injector for the types that are annotated in the group, in whichever image.
  ///
  /// - Parameter modules: They stand above annotations, and the last one above the others.
  public init(group: String = "injection", _ modules: any BindingModule...) throws {
    let registry = AnnotationRegistry(group: group)
    var keys: [Key] = []
    // By priority: so are the eager ones made.
    for entry in try registry.entries {
      guard let lifetime = Lifetime(rawValue: entry.value) else {
        throw InjectionError.unknownLifetime(entry.key, entry.value)
      }
      let type = try registry.type(for: entry.key, as: (any Injectable.Type).self)
      let key = Key(annotated: entry.key)
      bindings[key] = Binding(lifetime: lifetime) { try type.init(from: $0) }
      keys.append(key)
    }
    var bound = Bindings()
    for module in modules { module.bind(&bound) }
    for (key, binding) in bound.items {
      bindings[key] = binding
      keys.append(key)
    }
    for key in keys where bindings[key]?.lifetime == .eager { _ = try instance(key) }
  }

  /// The instance that is bound for a type, under the given name if any.
  public func get<Value>(
    _ type: Value.Type = Value.self, named name: String? = nil
  ) throws -> Value {
    let key = Key(type, named: name)
    let found = try instance(key)
    guard let value = found as? Value else {
      throw InjectionError.wrongType(key.description, found: "\(Swift.type(of: found))")
    }
    return value
  }

  private func instance(_ key: Key) throws -> Any {
    if let instance = shared[key] { return instance }
    if let first = chain.firstIndex(of: key) {
      throw InjectionError.cycle((chain[first...] + [key]).map(\.description))
    }
    chain.append(key)
    defer { chain.removeLast() }
    guard let binding = bindings[key] else {
      throw InjectionError.unbound(chain.map(\.description))
    }
    let instance = try binding.make(self)
    if binding.lifetime != .fresh { shared[key] = instance }
    return instance
  }
}
