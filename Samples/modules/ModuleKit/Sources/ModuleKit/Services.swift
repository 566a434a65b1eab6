import CModuleKit
import Rebind
import RebindRegistry

/// Services are found by the names of their protocols.
public final class Services: Sendable {
  private let registry = AnnotationRegistry(group: "services")

  /// The service for a protocol: the one that is kept here, or a new one if its annotation has
  /// the value `fresh`.
  public func find<Service: Sendable>(_ type: Service.Type) throws -> Service {
    // `Greeter`, of `any ModuleKit.Greeter`.
    let key = String(reflecting: type).split { " .".contains($0) }.last.map(String.init) ?? ""
    if try registry.entry(for: key)?.value == "fresh" { return try registry.make(key) }
    return try registry.shared(key)
  }

  /// Calls a service by names alone, as a URL has them; nil for an unknown method.
  public func call(_ service: String, _ method: String, _ argument: String) throws -> String? {
    do throws(AnnotationRegistryError) {
      return try registry.shared(service, as: (any Callable).self).call(method, argument)
    } catch {
      // One in C has no instances.
      guard error.code == .noAnswer else { throw error }
      let functions = try registry.pointer(for: service).load(as: service_functions.self)
      var answer = [CChar](repeating: 0, count: 256)
      let isAnswered = functions.call(method, argument, &answer, answer.count) != 0
      return isAnswered ? String(cString: Array(answer.prefix { $0 != 0 }) + [0]) : nil
    }
  }
}

/// A service that URLs may call.
public protocol Callable: Sendable {
  /// nil for an unknown method.
  func call(_ method: String, _ argument: String) -> String?
}
