import CModuleKit

/// A module in C, by the functions that its annotation leads to.
final class CModule: Module {
  private let functions: module_functions

  init() { functions = module_functions() }
  init(_ pointer: UnsafeMutableRawPointer) {
    functions = pointer.load(as: module_functions.self)
  }

  func setUp(_ context: Context) { functions.set_up?() }
  func start(_ context: Context) { functions.start?() }
  func tearDown(_ context: Context) { functions.tear_down?() }

  func handle(_ event: Event, _ context: Context) {
    guard case .custom(let name, let details) = event else {
      functions.handle?("\(event)", nil)
      return
    }
    functions.handle?(name, details)
  }
}
