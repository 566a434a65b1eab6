internal import CRebind

/// The other names that a function's calls may go by.
package enum FunctionVariants {
  /// Returns the other names of a function; none without memory. The corresponding C function is
  /// `crebind_other_names`.
  package static func names(of name: String) -> Set<String> {
    var names: Set<String> = []
    withUnsafeMutablePointer(to: &names) { names in
      _ = crebind_other_names(
        name,
        { name, context in
          context?.assumingMemoryBound(to: Set<String>.self).pointee
            .insert(String(cString: name))
        }, names)
    }
    names.remove(name)
    return names
  }

  /// Counts the letters in which two names differ, if they are similar; else 0. The corresponding C
  /// function is `crebind_name_edits`.
  package static func edits(between name: String, and other: String) -> Int {
    crebind_name_edits(name, other)
  }
}
