/// Whether the loader is done with an image. An image that is mapped but not relocated has
/// link-time words in its slots, and its code crashes when it is called.
///
/// glibc lists an image as soon as it is mapped, and holds its lock until the constructors have
/// run. The relro range shows whether the loader is done: the loader closes it when the last word
/// is in place. If an image has no relro range, its words themselves show it.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// Images that a check has found, and that seem not to be relocated.
struct crebind_unfinished {
  struct crebind_vector images;  // of arrivals/loading.c
  /// This thread has waited for the loader since.
  bool was_awaited;
};

void crebind_unfinished_begin(struct crebind_unfinished *unfinished);
void crebind_unfinished_end(struct crebind_unfinished *unfinished);

/// Looks at every image that was not found relocated before; phase C. If an image was unfinished
/// before the wait for the loader, it counts as relocated from now on: somebody has opened its
/// relro range and left it open.
///
/// \returns CREBIND_BUSY if an image is not relocated, and adds it to `unfinished`.
crebind_status crebind_loading_check(struct crebind_world *world,
                                     struct crebind_unfinished *unfinished);

/// True if the image's words are in place, for callers that only read them. If somebody has left
/// its relro range open, its slots may show it, too. Phase C.
bool crebind_loading_is_done(struct crebind_world *world, size_t index);

/// Notes that the loader's lock has been waited for: the images are done.
void crebind_unfinished_note_awaited(struct crebind_unfinished *unfinished);

#pragma GCC visibility pop
#endif
