/// The choice of redirected definitions is judged anew when images come and go, and when one is
/// opened again with RTLD_GLOBAL. Of each version of a name it is the first in the global scope, or
/// the only one in a local scope. A definition that is so no longer gets its value back; what was
/// bound to it meanwhile are slots, and they stay rebound.
///
/// A question to dlsym may have begun before a batch was published, and reach the loader after its
/// definition was redirected. Then it gives the image of a replacement that very replacement as the
/// function behind it, which calls itself for ever. The table of storing/next.h cannot help: nobody
/// comes back to it. So a new batch's definitions are postponed, where an image is answered there,
/// until no thread can be in such a question. If one has come there, all threads that run are
/// waited for. Else an image may have asked before it was answered. Such a question takes long only
/// while it waits for the loader's lock, so the threads that do are waited for. Threads that the
/// call does not wait for any longer postpone the definitions until a later call finds that they
/// have left.
///
/// Two cases are left. An image may ask before it is answered, on a thread that runs: for some
/// microseconds. And a later call redirects definitions for an image that has come.

#ifndef CREBIND_STORING_JUDGE_H
#define CREBIND_STORING_JUDGE_H

#include "storing/commit.h"

#pragma GCC visibility push(hidden)

/// An image has gone, and the entry's definition with it.
void crebind_judge_later(struct crebind_handle *handle, const struct crebind_entry *entry);

/// Takes the definitions of a new batch out, to be judged when the call has waited for other
/// threads; phase C. False without memory.
bool crebind_judge_postpone(struct crebind_handle *handle);

/// The number of definitions that are postponed.
size_t crebind_judge_count_postponed(const struct crebind_handle *handle);

/// Judges the definitions that were postponed; phase C. CREBIND_BUSY if the loader has to be asked
/// first: they stay postponed.
crebind_status crebind_judge_postponed(struct crebind_handle *handle, struct crebind_world *world,
                                       struct crebind_commit *commit);

/// Leaves the definitions that were postponed to later calls; without our lock.
void crebind_judge_leave(struct crebind_handle *handle);

/// Forgets postponed definitions of images that have gone; phase C.
void crebind_judge_forget(struct crebind_handle *handle);

/// True if a name of an active batch has to be judged.
bool crebind_judge_is_due(void);

/// Judges the names that are due, of all active batches; phase C. CREBIND_BUSY if
/// the loader has to be asked first.
crebind_status crebind_judge(struct crebind_world *world, struct crebind_commit *commit);

#pragma GCC visibility pop

#endif
