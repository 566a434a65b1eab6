import ModuleKit
import RebindMacros

/// Registered from code: it needs something that an annotation could not give it.
final class LogModule: Module {
  private let name: String

  init() { name = "Log" }
  init(name: String) { self.name = name }

  func setUp(_ context: Context) { print("  \(name) is set up") }
  func tearDown(_ context: Context) { print("  \(name) is torn down") }
}

/// A type that the configuration makes a module of.
@Annotated(group: "types", key: "AuditTrail")
final class AuditTrail: Module, AnnotationCreatable {
  func setUp(_ context: Context) { print("  Audit is set up") }
  func tearDown(_ context: Context) { print("  Audit is torn down") }
}
