/// Stores a set of words over several images: all of it, or nothing.

#ifndef CREBIND_COMMIT_H
#define CREBIND_COMMIT_H

#include "patch.h"
#include "world.h"

#pragma GCC visibility push(hidden)

/// One word to change. Changes are sorted by image.
struct crebind_change {
  size_t image;
  uintptr_t address, from, to;
  /// Store whatever the word is by now; else only in place of `from`.
  bool always;
};

struct crebind_commit {
  struct crebind_vector changes;  // struct crebind_change
  bool accepts_open_relro;
  size_t images;
  // On failure.
  size_t failed_image;
  struct crebind_patch_failure failure;
};

void crebind_commit_begin(struct crebind_commit *commit);
void crebind_commit_end(struct crebind_commit *commit);

/// Adds a change; returns false without memory.
bool crebind_commit_add(struct crebind_commit *commit, struct crebind_change change);

/// Stores all changes, or undoes those that were made and says why. Under both
/// locks.
crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world);

#pragma GCC visibility pop

#endif
