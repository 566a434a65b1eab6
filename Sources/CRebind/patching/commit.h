/// Stores a set of words over several images: all of it, or nothing.
///
/// The pages of all images are opened before the first word is stored, so that a refusal to open
/// changes nothing. They are closed after the last word. If a page cannot be closed, the words are
/// taken back while the other pages are still open. A word stays as it is only if its page was
/// closed already, and can neither be opened again nor moved. The word's change is marked, and the
/// caller keeps a record of the word.

#if defined(__linux__)
#pragma once

#include "patching/patch.h"

#pragma GCC visibility push(hidden)

struct crebind_commit {
  /// In runs, one an image; another run may follow that has slots of the same image alone, as
  /// those of the relro range are looked at before they are opened.
  struct crebind_vector changes;  // struct crebind_change
  /// Leaves sealed images unchanged. All changes of such an image are marked, and not counted as
  /// refused.
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
/// \param is_optional If the word's page cannot be opened, the change is marked, and the call does
///   not fail.
bool crebind_commit_add(struct crebind_commit *commit, const struct crebind_entry *entry,
                        uintptr_t from, uintptr_t to, bool always, bool is_optional);

/// Has the last change close its page, which an earlier commit could not close.
void crebind_commit_close_last(struct crebind_commit *commit);

/// A word's change, to see what became of it; NULL without one. O(changes).
const struct crebind_change *crebind_commit_find(const struct crebind_commit *commit,
                                                 uintptr_t address);

/// Stores the changes that are not stored yet, and leaves their pages open. Call it again for
/// further changes. In the end, call `crebind_commit_run` or `crebind_commit_undo`. On failure the
/// changes of former calls stay stored. Phase C.
crebind_status crebind_commit_store(struct crebind_commit *commit,
                                    const struct crebind_world *world);

/// Takes back the stored words, and closes the pages. `status` is the reason. It is also the
/// result, unless it is CREBIND_LEFT_OPEN.
crebind_status crebind_commit_undo(struct crebind_commit *commit,
                                   const struct crebind_world *world, crebind_status status);

/// Stores all changes and closes their pages. On failure, undoes all changes and returns the
/// reason. Phase C.
crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world);

#pragma GCC visibility pop
#endif
