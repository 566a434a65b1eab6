/// What a batch would change: every slot, with what it holds, what it leads to
/// and what would be stored.

#ifndef CREBIND_PLAN_H
#define CREBIND_PLAN_H

#include "scope.h"
#include "slot.h"

#pragma GCC visibility push(hidden)

/// One slot's record, of a plan and then of an active batch.
struct crebind_entry {
  uintptr_t address;
  /// The word before our store: a lazy slot's still points into the PLT.
  uintptr_t previous;
  /// The function that the slot would lead to without us.
  uintptr_t original;
  /// The word that we store: the replacement, plus an absolute slot's addend.
  uintptr_t value;
  /// Indices into the batch, and into the images of the plan.
  uint32_t rebinding, image;
  uint32_t symbol;
  uint8_t kind;
  /// True if the loader had not bound the slot yet.
  bool is_lazy;
};

/// Answers whether a function is the replacement of an active rebinding of the
/// name: such a value is a link of the chain, not the loader's work.
typedef bool crebind_is_replacement(const char *name, uintptr_t function);

struct crebind_plan {
  // Given.
  const struct crebind_images *images;
  /// The batch's names in its order, and a replacement each.
  const struct crebind_names *names;
  const uintptr_t *replacements;
  /// The index of the only image to plan for, or SIZE_MAX.
  size_t only_image;
  unsigned slot_kinds;
  crebind_is_replacement *is_replacement;

  // Made.
  struct crebind_vector dynamics;  // struct crebind_dynamic, by image
  struct crebind_vector entries;   // struct crebind_entry, by image
  size_t unchanged, skipped;
  struct crebind_scopes scopes;

  // On failure.
  size_t broken_image;
  int64_t broken_tag;
};

/// Plans under the loader's lock. Free it in any case. CREBIND_BUSY means that
/// an image is being loaded just now.
crebind_status crebind_plan_make(struct crebind_plan *plan);
void crebind_plan_free(struct crebind_plan *plan);

#pragma GCC visibility pop

#endif
