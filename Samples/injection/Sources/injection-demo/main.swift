import Injection

/// A binding for a type that is not the program's own.
struct Greetings: BindingModule {
  func bind(_ bindings: inout Bindings) {
    bindings.bind(String.self, named: "greeting") { _ in "Dear reader" }
  }
}

/// Stands in for the annotated type, as a test would have it.
struct Rehearsal: BindingModule {
  struct Stage: Mailer {
    init() { print("the stage is set") }

    func send(_ text: String) { print("rehearsed \(text)") }
  }

  func bind(_ bindings: inout Bindings) {
    bindings.bind((any Mailer).self, .eager) { _ in Stage() }
  }
}

let injector = try Injector(Greetings())
try injector.get(Newsletter.self).publish("it rains")
try injector.get(Newsletter.self).publish("it shines")

print("\nrehearsing:")
try Injector(Greetings(), Rehearsal()).get(Newsletter.self).publish("it snows")

print("\nmistakes:")
do { _ = try injector.get(Chicken.self) } catch { print(error) }
do { _ = try Injector().get(Newsletter.self) } catch { print(error) }
