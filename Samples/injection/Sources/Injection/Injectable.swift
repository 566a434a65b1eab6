/// A type that gets what it needs from the injector that makes it.
///
/// ```swift
/// @Annotated(group: "injection", key: "Mailer")
/// struct PostMailer: Mailer, Injectable {
///   let clock: any Clock
///
///   init(from injector: Injector) throws {
///     clock = try injector.get()
///   }
/// }
/// ```
///
/// The annotation's key says what the type is made for: itself, or a protocol, and behind a colon a name
/// (`Mailer:urgent`). Its value says how often: `shared` for once an injector, `eager` for once and right
/// away.
public protocol Injectable {
  /// Makes an instance, asking for what it needs.
  init(from injector: Injector) throws
}
