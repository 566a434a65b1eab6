/// Brings the active batches to the images that have come since they were
/// applied, and forgets the images that have gone.

#if defined(__linux__)
#pragma once

#include "patching/commit.h"
#include "arrivals/loading.h"

#pragma GCC visibility push(hidden)

/// Phase C. Returns CREBIND_BUSY if the loader is at work on an image. Does nothing if the
/// generation is the same as the last time, unless a definition has to be judged anew. Passes over
/// an image whose dynamic table is broken, or whose pages cannot be opened.
///
/// \param commit Has no changes, before and after.
crebind_status crebind_new_images_serve(struct crebind_world *world, struct crebind_commit *commit,
                                        struct crebind_unfinished *unfinished);

/// Adds the words that an active batch has to change in an image, marked as due. For a batch that
/// is leaving, adds the words that have been bound to it.
crebind_status crebind_new_images_plan(struct crebind_world *world, struct crebind_handle *handle,
                                       size_t index);

/// True if the batch's options, and its predicate's answer, select the image.
bool crebind_handle_selects(const struct crebind_handle *handle,
                            const struct crebind_world *world, size_t index);

/// Forgets the images that have gone, and nothing else; phase C.
crebind_status crebind_new_images_forget(struct crebind_world *world);

#pragma GCC visibility pop
#endif
