/// Definitions that are redirected only after their batch has been published.
///
/// A question to dlsym may begin before a batch is published, and reach the loader after the
/// definition has been redirected. Then the image of a replacement gets that very replacement as
/// the function behind it, and the replacement calls itself for ever. The table of
/// definitions/dlsym-answers.h cannot help: such a question does not come back to it. So if the
/// table answers any image, a new batch's definitions are postponed until no thread can be in such
/// a question. If a question has come to the table, the call waits for all threads that run.
/// Otherwise an image may only have asked before the table answered it. Such a question takes long
/// only while it waits for the loader's lock, so the call waits only for threads that wait for this
/// lock. If the call gives up waiting for a thread, the definitions stay postponed until a later
/// call finds that the thread has left.
///
/// Two cases remain. An image may ask before the table answers it, on a thread that runs: for some
/// microseconds. And a later call redirects definitions for an image that has been loaded since.

#if defined(__linux__)
#pragma once

#include "planning/active.h"

#pragma GCC visibility push(hidden)

/// Takes the definitions out of a new batch. They are judged once the call has waited for other
/// threads; phase C. Returns false without memory.
bool crebind_postpone(struct crebind_handle *handle);

static inline bool crebind_is_postponed(const struct crebind_handle *handle) {
  return crebind_active_of(handle)->postponement != CREBIND_NOT_POSTPONED;
}

/// The number of definitions that are postponed.
size_t crebind_count_postponed(const struct crebind_handle *handle);

/// `resume` lets the postponed definitions be judged. Then `end` forgets them, or `wait` postpones
/// them again; phase C.
void crebind_postponed_resume(struct crebind_handle *handle);
void crebind_postponed_end(struct crebind_handle *handle);
void crebind_postponed_wait(struct crebind_handle *handle);

/// Leaves the definitions to later calls. Call it without our lock.
void crebind_postponed_leave(struct crebind_handle *handle);

/// Ends the postponement of the batches whose threads have left since.
void crebind_postponed_take_on(void);

/// Forgets definitions of images that have gone; phase C.
void crebind_postponed_forget(struct crebind_handle *handle);

#pragma GCC visibility pop
#endif
