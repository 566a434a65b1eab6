import ModuleKit
import RebindMacros

/// Linked in; it uses a service without knowing whose it is.
@Annotated(group: "modules", key: "Greetings")
final class GreetingsModule: Module, AnnotationCreatable {
  func setUp(_ context: Context) { print("  Greetings is set up") }

  func start(_ context: Context) {
    let greeter = try? context.services.find((any Greeter).self)
    print("  Greetings starts:", greeter?.greeting(for: "modules") ?? "nobody greets")
  }

  func tearDown(_ context: Context) { print("  Greetings is torn down") }

  func handle(_ event: Event, _ context: Context) {
    if case .custom(let name, let details) = event { print("  Greetings: \(details) \(name)") }
  }
}

/// The configuration leaves it out.
@Annotated(group: "modules", key: "Games")
final class GamesModule: Module, AnnotationCreatable {
  func setUp(_ context: Context) { print("  Games is set up") }
}
