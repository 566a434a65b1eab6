/// Stores a set of words over several images: all of it, or nothing.

#ifndef CREBIND_STORING_COMMIT_H
#define CREBIND_STORING_COMMIT_H

#include "storing/patch.h"

#pragma GCC visibility push(hidden)

struct crebind_commit {
  struct crebind_vector changes;  // struct crebind_change, in runs, one an image
  /// Does without what a sealed image would have to have changed: all of an image's changes
  /// are marked then, and not counted as refused.
  bool skips_sealed;
  /// How many optional changes were refused.
  size_t refused;
  // On failure.
  size_t failed_image;
  struct crebind_patch_failure failure;
};

void crebind_commit_begin(struct crebind_commit *commit);
void crebind_commit_end(struct crebind_commit *commit);

/// Adds a change of an entry's word; returns false without memory.
///
/// \param from The word that is there; with `always`, what a failure puts back.
/// \param is_optional The word's page may refuse to be opened: then the change is
///   marked, and no failure.
bool crebind_commit_add(struct crebind_commit *commit, const struct crebind_entry *entry,
                        uintptr_t from, uintptr_t to, bool always, bool is_optional);

/// Stores all changes, or undoes those that were made and says why. Phase C.
crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world);

#pragma GCC visibility pop

#endif
