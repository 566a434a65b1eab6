/// Entries that are planned for images that active batches are brought to: of all batches
/// first, and then stored, so that the newest one's is the word.

#pragma once

#include "patching/commit.h"
#include "planning/plan.h"

#pragma GCC visibility push(hidden)

/// Takes the entries of a batch for an image anew: the ones it has and the ones
/// planned, in one run. Returns false without memory.
bool crebind_take_entries(struct crebind_handle *handle, uint32_t known,
                          struct crebind_plan *plan);

/// Adds the words to store for an image: those of the newest batches. Returns false without
/// memory.
bool crebind_add_due_changes(struct crebind_commit *commit, uint32_t known);

/// Keeps what was stored for an image, of what was planned.
void crebind_keep_stored(uint32_t known, const struct crebind_commit *commit,
                         crebind_status status);

#pragma GCC visibility pop
