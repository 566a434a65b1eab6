/// Exported functions whose names are nearly a name that nothing has. It may be misspelt, or be the name in
/// Swift's source of a function whose symbol has a mangled one.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

enum { CREBIND_SIMILAR_NAMES = 3 };

struct crebind_similar {
  /// The best first; they lie in the images.
  struct {
    const char *name;
    /// The first image that exports it.
    size_t image;
  } names[CREBIND_SIMILAR_NAMES];
  size_t count;
  /// The number of characters to insert, delete, replace or exchange with their neighbour; 0 for a
  /// mangled name that has the name in it.
  size_t distance;
};

/// Finds the first mangled name of Swift that has the name as an identifier. Without one, finds the names
/// at the smallest distance: of one edit, or from six characters on of two.
/// - Complexity: O(exported symbols of all images).
void crebind_find_similar(const struct crebind_world *world, const struct crebind_name *name,
                          struct crebind_similar *similar);

#pragma GCC visibility pop
#endif
