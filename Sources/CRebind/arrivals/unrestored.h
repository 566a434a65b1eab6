/// Batches that are restored but for words that somebody else's hook lies on, such as that of
/// another copy of CRebind. That hook leads on to ours, and puts ours back one day.
///
/// Copies share no data, so nothing tells when. A batch stays among the active ones with these
/// words alone, as one that is being restored, and each call looks whether a word holds its value
/// again. If a definition does, images may have been bound to the hook since. Their slots are
/// looked for, once more at the next call, as a lazy resolver may have been under way.
///
/// So does a batch that could not be applied, with the words that could not be taken back as
/// mprotect refused to open their pages again. Nobody has its handle, and it goes once it has no
/// word any more.

#pragma once

#include "patching/commit.h"

#pragma GCC visibility push(hidden)

/// The word that an entry's has without its batch, and, of a definition, without the batches
/// right below that other threads are restoring meanwhile.
uintptr_t crebind_word_below(const struct crebind_handle *handle,
                             const struct crebind_entry *entry);

/// Takes what has its former word again, or is led to by a batch on top alone, out of a batch
/// that has been restored. Phase C.
///
/// \returns The first entry that somebody else's hook lies on, so that the batch is unrestored;
///   NULL for none. A pointer in writable data is no such entry, as the program may
///   have assigned it.
const struct crebind_entry *crebind_unrestored_make(struct crebind_handle *handle,
                                                    const struct crebind_world *world);

/// Keeps, of a batch that could not be applied, the words that could not be taken back, among the
/// active ones. Phase C.
///
/// \returns False if the batch has no such words, and nobody has a use for the handle.
bool crebind_unrestored_keep(struct crebind_handle *handle, const struct crebind_commit *commit);

/// True if a definition of a batch that is unrestored was given back at the last call, and images
/// may have been bound to it.
bool crebind_unrestored_may_be_bound(const struct crebind_handle *handle);

/// Gives back the words of batches that are unrestored, where they hold our value again;
/// phase C. It passes over words that cannot be changed.
///
/// \param commit Has no changes, before and after.
crebind_status crebind_unrestored_give_back(struct crebind_world *world,
                                            struct crebind_commit *commit);

#pragma GCC visibility pop
