/// Entries for images that active batches are brought to. They are planned for all batches first,
/// and then stored, so that the newest batch's value becomes the word.

#if defined(__linux__)
#pragma once

#include "patching/commit.h"
#include "planning/plan.h"

#pragma GCC visibility push(hidden)

/// Puts a batch's entries for an image into one run: those that it has, and those that are planned.
/// Returns false without memory.
bool crebind_take_entries(struct crebind_handle *handle, uint32_t known,
                          struct crebind_plan *plan);

/// Adds the words to store for an image: those of the newest batches. Returns false without
/// memory.
bool crebind_add_due_changes(struct crebind_commit *commit, uint32_t known);

/// Keeps those planned entries of an image that were stored, and drops the others.
void crebind_keep_stored(uint32_t known, const struct crebind_commit *commit,
                         crebind_status status);

#pragma GCC visibility pop
#endif
