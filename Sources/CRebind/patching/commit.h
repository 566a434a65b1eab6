/// Stores a set of words over several images: all of it, or nothing.
///
/// The pages of all images are opened before the first word is stored, so that a refusal to open
/// changes nothing. They are closed after the last one. If a page cannot be closed, the words are
/// taken back while the others are open still. Only those whose pages were closed already, and
/// cannot be opened again, or moved, stay as they are: the changes are marked, and the caller keeps
/// a record of them.

#pragma once

#include "patching/patch.h"

#pragma GCC visibility push(hidden)

struct crebind_commit {
  /// In runs, one an image; another run may follow that has slots of the same image alone, as
  /// those of the relro range are looked at before they are opened.
  struct crebind_vector changes;  // struct crebind_change
  /// Does without what a sealed image would have to have changed: all of an image's changes
  /// are marked then, and not counted as refused.
  bool skips_sealed;
  /// How many optional changes were refused.
  size_t refused;
  /// How many changes, from the first on, are stored while their pages are open.
  size_t stored;
  // On failure.
  /// How many changes could not be taken back: `is_stuck`.
  size_t stuck;
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

/// Has the last change close its page, which an earlier commit could not.
void crebind_commit_close_last(struct crebind_commit *commit);

/// A word's change, to see what became of it; NULL without one. O(changes).
const struct crebind_change *crebind_commit_find(const struct crebind_commit *commit,
                                                 uintptr_t address);

/// Stores the changes that are not stored yet, and leaves their pages open: store the others
/// with it, and in the end call `crebind_commit_run` or `crebind_commit_undo`. On failure the
/// former ones stay stored. Phase C.
crebind_status crebind_commit_store(struct crebind_commit *commit,
                                    const struct crebind_world *world);

/// Takes back what is stored, and closes the pages; `status` is why, and what to return but for
/// CREBIND_LEFT_OPEN.
crebind_status crebind_commit_undo(struct crebind_commit *commit,
                                   const struct crebind_world *world, crebind_status status);

/// Stores all changes and closes their pages, or undoes all that were made and says why. Phase C.
crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world);

#pragma GCC visibility pop
