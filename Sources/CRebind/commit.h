/// Stores a set of words over several images: all of it, or nothing.

#ifndef CREBIND_COMMIT_H
#define CREBIND_COMMIT_H

#include "patch.h"
#include "world.h"

#pragma GCC visibility push(hidden)

struct crebind_commit {
  struct crebind_vector changes;  // struct crebind_change, in runs, one an image
  bool accepts_open_relro;
  size_t images;
  // On failure.
  size_t failed_image;
  struct crebind_patch_failure failure;
};

void crebind_commit_begin(struct crebind_commit *commit);
void crebind_commit_end(struct crebind_commit *commit);

/// Adds a change of an entry's word; returns false without memory.
///
/// \param from The word that is there; with `always`, what a failure puts back.
bool crebind_commit_add(struct crebind_commit *commit, const struct crebind_entry *entry,
                        uintptr_t from, uintptr_t to, bool always);

/// Stores all changes, or undoes those that were made and says why. Under both
/// locks.
crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world);

#pragma GCC visibility pop

#endif
