/// A type that a registry can make instances of.
///
/// ```swift
/// @Annotated(group: "services", key: "mail")
/// final class MailService: AnnotationCreatable {
///   init() {}
/// }
/// ```
///
/// Instances are made on any thread. So a module's default isolation does not apply to a type that
/// conforms; one that is isolated by an attribute has a `nonisolated` initializer.
public protocol AnnotationCreatable: SendableMetatype {
  /// Makes an instance.
  init()
}
