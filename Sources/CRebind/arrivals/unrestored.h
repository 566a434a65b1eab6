/// Batches that are restored, except words that somebody else's hook lies on, such as a hook of
/// another copy of CRebind. That hook leads on to our value, and puts it back one day.
///
/// Copies share no data, so nothing tells when that happens. So the batch stays among the active
/// ones with these words alone, like a batch that is being restored. Each call looks whether a word
/// holds the batch's value again. If a definition does, images may have been bound to the hook
/// since. The call then looks for their slots. The next call does so once more, because a lazy
/// resolver may have been under way.
///
/// A batch that could not be applied also stays, if words of it could not be taken back because
/// mprotect refused to open their pages again. Nobody has its handle, and it is freed once it has
/// no such word any more.

#if defined(__linux__)
#pragma once

#include "patching/commit.h"

#pragma GCC visibility push(hidden)

/// The value that an entry's word has without its batch. For a definition, this is the value
/// without the batches right below, too, if other threads are restoring them.
uintptr_t crebind_word_below(const struct crebind_handle *handle,
                             const struct crebind_entry *entry);

/// Takes entries out of a batch that has been restored: those whose word has its former value
/// again, and those that only a batch on top leads to. Phase C.
///
/// \returns The first entry that somebody else's hook lies on, so that the batch is unrestored;
///   NULL for none. A pointer in writable data is no such entry, as the program may
///   have assigned it.
const struct crebind_entry *crebind_unrestored_make(struct crebind_handle *handle,
                                                    const struct crebind_world *world);

/// Keeps a batch that could not be applied among the active ones, with the words that could not be
/// taken back. Phase C.
///
/// \returns False if the batch has no such words, and nobody has a use for the handle.
bool crebind_unrestored_keep(struct crebind_handle *handle, const struct crebind_commit *commit);

/// True if a definition of a batch that is unrestored was given back at the last call, and images
/// may have been bound to it.
bool crebind_unrestored_may_be_bound(const struct crebind_handle *handle);

/// Gives back those words of unrestored batches that hold our value again; phase C. It passes over
/// words that cannot be changed.
///
/// \param commit Has no changes, before and after.
crebind_status crebind_unrestored_give_back(struct crebind_world *world,
                                            struct crebind_commit *commit);

#pragma GCC visibility pop
#endif
