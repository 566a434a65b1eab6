/// Definitions that are redirected later than the batch is published.
///
/// A question to dlsym may have begun before a batch was published, and reach the loader after its
/// definition was redirected. Then it gives the image of a replacement that very replacement as the
/// function behind it, which calls itself for ever. The table of definitions/dlsym-answers.h cannot
/// help: nobody comes back to it. So a new batch's definitions are postponed, where an image is
/// answered there, until no thread can be in such a question. If one has come there, all threads
/// that run are waited for. Else an image may have asked before it was answered. Such a question
/// takes long only while it waits for the loader's lock, so the threads that do are waited for.
/// Threads that the call does not wait for any longer postpone the definitions until a later call
/// finds that they have left.
///
/// Two cases are left. An image may ask before it is answered, on a thread that runs: for some
/// microseconds. And a later call redirects definitions for an image that has come.

#pragma once

#include "planning/active.h"

#pragma GCC visibility push(hidden)

/// Takes the definitions of a new batch out, to be judged when the call has waited for other
/// threads; phase C. False without memory.
bool crebind_postpone(struct crebind_handle *handle);

static inline bool crebind_is_postponed(const struct crebind_handle *handle) {
  return crebind_active_of(handle)->postponement != CREBIND_NOT_POSTPONED;
}

/// The number of definitions that are postponed.
size_t crebind_count_postponed(const struct crebind_handle *handle);

/// Has the definitions judged, and then either forgets them or postpones them again; phase C.
void crebind_postponed_resume(struct crebind_handle *handle);
void crebind_postponed_end(struct crebind_handle *handle);
void crebind_postponed_wait(struct crebind_handle *handle);

/// Leaves the definitions to later calls; without our lock.
void crebind_postponed_leave(struct crebind_handle *handle);

/// Takes on the batches whose threads have left since.
void crebind_postponed_take_on(void);

/// Forgets definitions of images that have gone; phase C.
void crebind_postponed_forget(struct crebind_handle *handle);

#pragma GCC visibility pop
