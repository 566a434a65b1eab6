/// Is the loader done with an image? One that it has mapped and not relocated has
/// link-time words in its slots, and code that crashes when it is called.
///
/// glibc lists an image as soon as it is mapped, and holds its lock until the
/// constructors have run. The relro range tells: the loader closes it when the last word is
/// in place. Where an image has none, the words themselves tell.

#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// Images that a check came upon and that seemed not to be relocated.
struct crebind_unfinished {
  struct crebind_vector images;  // of arrivals/loading.c
  /// The loader has been waited for since.
  bool was_awaited;
};

void crebind_unfinished_begin(struct crebind_unfinished *unfinished);
void crebind_unfinished_end(struct crebind_unfinished *unfinished);

/// Looks at every image that was not found relocated before; phase C.
/// An image that was unfinished before the loader was waited for counts as relocated from now
/// on: somebody has opened its relro range and left it so.
///
/// \returns CREBIND_BUSY if an image is not relocated, and adds it to `unfinished`.
crebind_status crebind_loading_check(struct crebind_world *world,
                                     struct crebind_unfinished *unfinished);

/// True if the image's words are in place, for those who only read them: its slots may say
/// so as well, for one whose relro range somebody has left open. Phase C.
bool crebind_loading_is_done(struct crebind_world *world, size_t index);

/// Notes that the loader's lock has been waited for: the images are done.
void crebind_unfinished_note_awaited(struct crebind_unfinished *unfinished);

#pragma GCC visibility pop
