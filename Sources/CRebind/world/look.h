/// A look at the loaded images that changes nothing and asks nobody: no image is
/// served, no predicate called. So a predicate may look itself.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

struct crebind_look {
  struct crebind_world world;
  /// Reported of a failure: the image's path and the dynamic tag.
  const char *failed_path;
  int64_t failed_tag;
};

/// Calls `body` in phase C, with a filled world; again while the set of images changes, for
/// some tenths of a second.
crebind_status crebind_look(crebind_status (*body)(struct crebind_look *look, void *context),
                            void *context, crebind_error *error);

/// Says of a failure that it is this image's, and which tag is broken; 0 for none.
void crebind_look_fail(struct crebind_look *look, size_t index, int64_t tag);

/// The index of the image with this header, if its dynamic table can be read.
crebind_status crebind_look_find(struct crebind_look *look, const void *header, size_t *index);

#pragma GCC visibility pop
#endif
