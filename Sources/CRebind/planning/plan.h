/// The changes that a batch would make: every slot and definition in its scope, with its word,
/// its original and the word to store.

#if defined(__linux__)
#pragma once

#include "binding/slot-scan.h"
#include "planning/active.h"
#include "world/world.h"

#pragma GCC visibility push(hidden)

struct crebind_plan {
  // Given.
  struct crebind_world *world;
  const struct crebind_batch *batch;
  struct crebind_active *active;
  /// The batch, if it is active and the image is served late; else NULL. Words that older batches
  /// have planned for a late image may not be stored yet, and the loader may have bound it to a
  /// replacement.
  const struct crebind_handle *late_handle;

  // Made.
  struct crebind_vector entries;  // struct crebind_entry, by image
  size_t unchanged, skipped;
  /// Slots that calls bypass.
  size_t bypassed;
  /// Images that ask for a name, but whose relocations are packed for Android.
  size_t packed;
  /// For each slot that is left to another local scope, the known image that has it; see
  /// planning/other-scopes.h.
  struct crebind_vector left_alone;  // uint32_t
  /// Later images may be bound to a definition that is not redirected, or that will not stay
  /// redirected.
  bool needs_notice;
  struct crebind_slot_scan scan;
};

/// Begins a plan. A batch has one at a time.
///
/// \param is_late Images are served late.
void crebind_plan_begin(struct crebind_plan *plan, struct crebind_world *world,
                        struct crebind_handle *handle, bool is_late);
void crebind_plan_end(struct crebind_plan *plan);

/// Adds the entries of one image that the loader is done with: for its slots if it is `in_scope`,
/// and for its definitions if the batch redirects them; phase C. If the image is served late, the
/// names of its definitions are marked as due.
crebind_status crebind_plan_add_image(struct crebind_plan *plan, size_t index, bool in_scope);

/// Adds those definitions of a served image whose names are due or contested. Definitions that have
/// an entry, and should have none, are marked.
crebind_status crebind_plan_judge_image(struct crebind_plan *plan, size_t index);

/// Marks the items that the planned slots reach.
void crebind_plan_note_reached(struct crebind_plan *plan);

#pragma GCC visibility pop
#endif
