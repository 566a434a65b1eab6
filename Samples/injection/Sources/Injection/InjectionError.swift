/// An injector has no instance to give.
public enum InjectionError: Error, CustomStringConvertible {
  /// Nothing is bound, for what is asked for last.
  case unbound([String])
  /// Each needs the next one, and the last one is the first one.
  case cycle([String])
  /// An instance of another type is bound.
  case wrongType(String, found: String)
  /// An annotation's value is none of the lifetimes.
  case unknownLifetime(String, String)

  public var description: String {
    switch self {
    case .unbound(let chain): "nothing is bound: " + chain.joined(separator: " needs ")
    case .cycle(let chain): "a cycle: " + chain.joined(separator: " needs ")
    case .wrongType(let key, let found): "\(key) is bound to \(found)"
    case .unknownLifetime(let key, let value): "\(key) cannot be '\(value)'"
    }
  }
}
