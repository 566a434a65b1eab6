// Files that import the macros need the declarations that their expansions use.
@_exported public import RebindAnnotations

/// Puts a type into a group of annotations, for a registry to find.
///
/// ```swift
/// @Annotated(group: "services", key: "mail", priority: 10)
/// final class MailService {}
/// ```
///
/// A registry that asks for it gets the type; of one that is ``/RebindAnnotations/AnnotationCreatable``,
/// new instances too.
///
/// For structures, enumerations, classes and actors, also inside others, that are not generic.
///
/// - Parameters:
///   - group: The annotations that are looked up together: a string literal, 1 to 1023 bytes of
///     UTF-8.
///   - key: The key by which the annotation is found: likewise.
///   - value: Further text for the registry: a string literal, up to 8191 bytes of UTF-8.
///   - priority: An integer literal that fits into 32 bits. Annotations with a higher priority come first.
#if !Macros
@available(*, unavailable, message: "enable the trait Macros of rebind")
#endif
@attached(member)
public macro Annotated(group: String, key: String, value: String = "", priority: Int = 0) =
  #externalMacro(module: "RebindMacrosPlugin", type: "AnnotatedMacro")

/// Puts an annotation into a group, for a registry to find, at file scope or in a type.
///
/// ```swift
/// #annotate("modules", "Mail", value: "MailModule", priority: 10)
/// ```
///
/// The corresponding C macro is `REBIND_ANNOTATE_VALUE`.
///
/// - Parameters:
///   - group: The annotations that are looked up together: a string literal, 1 to 1023 bytes of
///     UTF-8.
///   - key: The key by which the annotation is found: likewise.
///   - value: Further text for the registry: a string literal, up to 8191 bytes of UTF-8.
///   - priority: An integer literal that fits into 32 bits. Annotations with a higher priority come first.
#if !Macros
@available(*, unavailable, message: "enable the trait Macros of rebind")
#endif
@freestanding(declaration)
public macro annotate(_ group: String, _ key: String, value: String = "", priority: Int = 0) =
  #externalMacro(module: "RebindMacrosPlugin", type: "AnnotateMacro")

/// Puts an annotation with a factory into a group, for a registry to find, at file scope or in a
/// type.
///
/// ```swift
/// #annotate("services", "clock") { SystemClock() }
/// ```
///
/// The corresponding C macro is `REBIND_ANNOTATE_ACCESSOR`.
///
/// - Parameters:
///   - group: The annotations that are looked up together: a string literal, 1 to 1023 bytes of
///     UTF-8.
///   - key: The key by which the annotation is found: likewise.
///   - value: Further text for the registry: a string literal, up to 8191 bytes of UTF-8.
///   - priority: An integer literal that fits into 32 bits. Annotations with a higher priority come first.
///   - create: Makes an instance, on any thread, each time that a registry asks for one. It
///     captures nothing.
#if !Macros
@available(*, unavailable, message: "enable the trait Macros of rebind")
#endif
@freestanding(declaration)
public macro annotate<Value>(
  _ group: String, _ key: String, value: String = "", priority: Int = 0,
  creating create: () -> Value
) = #externalMacro(module: "RebindMacrosPlugin", type: "AnnotateMacro")
