/// Leads the slots of dlsym and dlvsym to definitions/dlsym-answers.h, in the images that hold
/// replacements.
///
/// It does so only while a batch redirects definitions: otherwise the loader gives nobody a
/// replacement. A batch of our own has these slots, and no report counts them. It stays the newest
/// batch, so that we lead to a hook of dlsym, and not the other way round. Images of batches that
/// exclude themselves are left alone.

#if defined(__linux__)
#pragma once

#include "transactions/attempt.h"

#pragma GCC visibility push(hidden)

/// Covers the images that hold replacements of the active batches, or of one that is about to be
/// active, and uncovers the others; phase C. The pages of these slots stay open until
/// `crebind_dlsym_slots_end`, which has to follow, also on failure. It also stores the changes that
/// were added to the attempt's commit in between.
///
/// \param new_handle May be NULL.
/// \param may_race Set if the loader had not bound a slot that was led here, and other threads may
/// be in its resolver.
/// - Complexity: O(rebindings), and for an image that is covered O(its imports).
crebind_status crebind_dlsym_slots_begin(struct crebind_attempt *attempt,
                                         const struct crebind_handle *new_handle,
                                         bool *may_race);

/// Stores the attempt's commit, or undoes it if something has failed meanwhile. Keeps those of the
/// images' entries that are in place; phase C.
///
/// \param status Why the call has failed, or CREBIND_OK.
/// \returns `status`, or the reason why storing failed.
crebind_status crebind_dlsym_slots_end(struct crebind_attempt *attempt, crebind_status status);

/// The entry of ours for a word, or NULL.
static inline struct crebind_entry *crebind_dlsym_slots_of(const struct crebind_entry *entry) {
  const struct crebind_handle *topmost = crebind_records.topmost;
  return topmost == NULL ? NULL : crebind_handle_find(topmost, entry->image, entry->address);
}

#pragma GCC visibility pop
#endif
