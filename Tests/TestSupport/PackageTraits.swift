public import Testing

/// The traits of the package that this build has.
public enum PackageTraits {
  #if Commands
  public static let hasCommands = true
  #else
  public static let hasCommands = false
  #endif

  #if Macros
  public static let hasMacros = true
  #else
  public static let hasMacros = false
  #endif
}

extension Trait where Self == ConditionTrait {
  /// Leaves the test out where the package is built without `rebind-inspect`.
  public static var needsCommands: Self {
    .enabled(if: PackageTraits.hasCommands, "the trait Commands is disabled")
  }

  /// Leaves the test out where the package is built without the macros' plug-in.
  public static var needsMacros: Self {
    .enabled(if: PackageTraits.hasMacros, "the trait Macros is disabled")
  }
}
