import ModuleKit
import RebindMacros

/// Linked in, and first of all.
@Annotated(group: "modules", key: "Home", value: "basic", priority: 100)
final class HomeModule: Module, AnnotationCreatable {
  func setUp(_ context: Context) {
    context["city"] = "Oslo"
    print("  Home is set up")
  }

  func start(_ context: Context) { print("  Home starts") }
  func tearDown(_ context: Context) { print("  Home is torn down") }
  func handle(_ event: Event, _ context: Context) { print("  Home hears of \(event)") }
}
