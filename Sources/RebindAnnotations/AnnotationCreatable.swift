/// A type that a registry can make instances of.
///
/// ```swift
/// @Annotated(group: "services", key: "mail")
/// final class MailService: AnnotationCreatable {
///   init() {}
/// }
/// ```
///
/// Instances are made on any thread: a type that is isolated to an actor has a `nonisolated`
/// initializer.
public protocol AnnotationCreatable {
  /// Makes an instance.
  init()
}
