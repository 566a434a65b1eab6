/// Exported functions whose names are nearly a name that nothing has: was it misspelt?

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
  /// The number of characters to insert, delete, replace or exchange with their neighbour.
  size_t distance;
};

/// Finds the names at the smallest distance: of one edit, or from six characters on of two.
/// - Complexity: O(exported symbols of all images).
void crebind_find_similar(const struct crebind_world *world, const struct crebind_name *name,
                          struct crebind_similar *similar);

#pragma GCC visibility pop
