// The services' protocols, for callers who do not know the implementations.

public protocol Greeter: Callable {
  func greeting(for name: String) -> String
}

/// Each who counts has one.
public protocol Counter: AnyObject, Sendable {
  func next() -> Int
}

/// A plug-in has it.
public protocol Forecast: Callable {
  func weather(in city: String) -> String
}
