/// A part of a program that says in code what is made for which type. It stands above annotations.
public protocol BindingModule {
  func bind(_ bindings: inout Bindings)
}

/// How often an instance is made.
public enum Lifetime: String {
  /// Each time.
  case fresh = ""
  /// When it is first asked for.
  case shared
  /// With the injector.
  case eager
}

/// How to make a type's instance, and for how long to keep it.
struct Binding {
  var lifetime: Lifetime
  var make: (Injector) throws -> Any
}

/// Collects what modules bind.
public struct Bindings {
  var items: [(key: Key, binding: Binding)] = []

  /// Binds a type, most likely a protocol's, to what `make` gives.
  public mutating func bind<Value>(
    _ type: Value.Type, named name: String? = nil, _ lifetime: Lifetime = .fresh,
    to make: @escaping (Injector) throws -> Value
  ) {
    items.append((Key(type, named: name), Binding(lifetime: lifetime, make: make)))
  }
}

/// The key of a binding: `Mailer`, or `Mailer:urgent`.
struct Key: Hashable, CustomStringConvertible {
  let description: String

  init(_ type: Any.Type, named name: String?) {
    description = String(describing: type) + (name.map { ":\($0)" } ?? "")
  }

  init(annotated key: String) { description = key }
}
