// What services promise to those who do not know who they are.

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
