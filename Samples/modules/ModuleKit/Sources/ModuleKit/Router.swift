import FoundationEssentials

/// Opens URLs: `app://call.service/Greeter/greeting?name=Anna` calls a service,
/// `app://send.event/mail?details=3` tells the modules of an event.
public final class Router: Sendable {
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// The answer of a service, or an empty string.
  public func open(_ url: String) throws -> String {
    guard let parts = URLComponents(string: url), parts.scheme == "app" else {
      throw RouterError(url: url, reason: "is no app: URL")
    }
    let names = parts.path.split(separator: "/").map(String.init)
    let argument = parts.queryItems?.first?.value ?? ""
    switch (parts.host, names.count) {
    case ("call.service", 2):
      guard let answer = try context.services.call(names[0], names[1], argument) else {
        throw RouterError(url: url, reason: "\(names[0]) has no method \(names[1])")
      }
      return answer
    case ("send.event", 1):
      context.send(.custom(names[0], argument))
      return ""
    default: throw RouterError(url: url, reason: "leads nowhere")
    }
  }
}

public struct RouterError: Error, CustomStringConvertible {
  public var url, reason: String
  public var description: String { "\(url): \(reason)" }
}
