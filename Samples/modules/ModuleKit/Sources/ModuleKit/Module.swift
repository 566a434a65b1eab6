/// A part of an application that wants to know of its life.
public protocol Module: AnyObject, Sendable {
  init()

  /// Everything is loaded, but nothing has started: register what others may need.
  func setUp(_ context: Context)
  /// All modules are set up: begin to work.
  func start(_ context: Context)
  /// The last call, in the reverse order of the first ones.
  func tearDown(_ context: Context)
  /// Something has happened.
  func handle(_ event: Event, _ context: Context)
}

extension Module {
  public func setUp(_ context: Context) {}
  public func start(_ context: Context) {}
  public func tearDown(_ context: Context) {}
  public func handle(_ event: Event, _ context: Context) {}
}

/// Basic modules come before the others, whatever their priority.
public enum ModuleLevel: String, Sendable, Comparable {
  case basic, normal

  public static func < (left: Self, right: Self) -> Bool { left == .basic && right == .normal }
}

/// The events that modules receive.
public enum Event: Sendable, CustomStringConvertible {
  /// Of the system.
  case didBecomeActive, willResignActive, didReceiveMemoryWarning
  /// Of the modules' own.
  case custom(String, String)

  public var description: String {
    switch self {
    case .didBecomeActive: "didBecomeActive"
    case .willResignActive: "willResignActive"
    case .didReceiveMemoryWarning: "didReceiveMemoryWarning"
    case .custom(let name, let details): "\(name)(\(details))"
    }
  }
}
