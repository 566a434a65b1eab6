/// One image while its slots and definitions are planned, and the chains of its words: what
/// other batches have stored there, or have planned to.

#if defined(__linux__)
#pragma once

#include "planning/plan.h"

#pragma GCC visibility push(hidden)

struct crebind_walk {
  struct crebind_plan *plan;
  size_t index;
  uint32_t known;
  const struct crebind_image *image;
  const struct crebind_dynamic *dynamic;
  /// The image is outside of the global scope; for definitions only.
  bool is_outside;
  /// Some of its words are other batches', or lead to wrappers of ours.
  bool has_chains, has_wrappers;
};

/// The version of a symbol of the image, or NULL.
const char *crebind_walk_version(const struct crebind_walk *walk, uint32_t index);

crebind_status crebind_walk_append(const struct crebind_walk *walk,
                                   const struct crebind_entry *entry);

// MARK: - Slots

/// Plans one slot; `context` is the walk, and `name` the index of its name in the batch.
crebind_status crebind_walk_slot(void *context, const struct crebind_slot *slot, uint32_t name);

// MARK: - Definitions

/// Plans one definition of a name of the batch, or marks the entry that it has.
crebind_status crebind_walk_definition(struct crebind_walk *walk, uint32_t symbol, uint32_t name);

// MARK: - Chains

/// The entry that this batch is applied on top of: that of an active batch for a word of the image,
/// planned or stored. NULL for none.
const struct crebind_entry *crebind_walk_below(const struct crebind_walk *walk, uintptr_t address,
                                               uintptr_t word, uintptr_t value,
                                               bool is_unrestored);

/// The topmost entry of a word that a lazy resolver has stored over a batch's value; NULL for none.
const struct crebind_entry *crebind_walk_overtaken(const struct crebind_walk *walk,
                                                   uintptr_t address, uintptr_t word);

/// The entry that already lies on top: that of a later batch, which was applied before this batch's
/// predicate had answered, or that of the topmost batch. NULL for none.
const struct crebind_entry *crebind_walk_above(const struct crebind_walk *walk,
                                               uintptr_t address);

/// Inserts an entry below another batch's.
void crebind_walk_take_place_below(const struct crebind_walk *walk, struct crebind_entry *entry,
                                   const struct crebind_entry *above);

/// True if the word leads to a wrapper of ours, and the wrapper leads to the same replacement. On
/// top of the wrapper, the replacement would lead back to itself.
bool crebind_walk_leads_here(const struct crebind_walk *walk, uintptr_t address, uintptr_t value);

/// True if an unrestored batch still leads the word to `replacement`, behind somebody else's hook.
/// On top of that hook, the replacement would lead back to itself.
bool crebind_walk_has_unrestored(const struct crebind_walk *walk, uintptr_t address,
                                uintptr_t replacement);

/// The same for any word of the item's name: then somebody else's hook on the name may lead to the
/// unrestored batch.
bool crebind_walk_may_be_led_here(const struct crebind_item *item);

#pragma GCC visibility pop
#endif
