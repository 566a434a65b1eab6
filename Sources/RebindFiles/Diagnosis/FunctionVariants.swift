/// The other names that a function's calls go by: fortified, large-file, relative and internal
/// ones.
///
/// They are those that the core's `crebind_diagnose` knows.
package enum FunctionVariants {
  /// What stands before and behind a name.
  package static let patterns: [(prefix: String, suffix: String)] = [
    ("", "64"), ("__", "_2"), ("__", "64_2"), ("__", "_chk"), ("", "at"), ("", "at64"),
    ("__", "at_2"), ("__", ""), ("_", ""), ("__libc_", ""), ("__x", ""), ("__x", "64"),
    ("__isoc99_", ""), ("__isoc23_", ""), ("__GI_", ""), ("", "_nocancel"), ("__", "_nocancel"),
    ("", "_unlocked"),
  ]

  /// The names that a pattern makes of a name, or that it makes the name of.
  static func names(of name: String) -> Set<String> {
    var names: Set<String> = []
    for (prefix, suffix) in patterns {
      names.insert(prefix + name + suffix)
      if name.hasPrefix(prefix), name.hasSuffix(suffix),
        name.utf8.count > prefix.utf8.count + suffix.utf8.count
      {
        names.insert(String(name.dropFirst(prefix.count).dropLast(suffix.count)))
      }
    }
    names.remove(name)
    return names
  }
}
