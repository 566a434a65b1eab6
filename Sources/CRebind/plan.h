/// What a batch would change: every slot and definition in its scope, with what
/// it holds, what it leads to and what would be stored.

#ifndef CREBIND_PLAN_H
#define CREBIND_PLAN_H

#include "slot.h"
#include "world.h"

#pragma GCC visibility push(hidden)

struct crebind_plan {
  // Given.
  struct crebind_world *world;
  const struct crebind_batch *batch;
  /// The image is being served late: what older batches have planned for it may
  /// not be stored yet, and the loader may have bound it to a replacement.
  const struct crebind_handle *late_handle;

  // Made.
  struct crebind_vector entries;  // struct crebind_entry, by image
  size_t unchanged, skipped;
  /// Slots that calls pass by.
  size_t bypassed;
  /// Later images may be bound to something that is not redirected, or not for ever.
  bool needs_notice;
  struct crebind_slot_scan scan;
};

void crebind_plan_begin(struct crebind_plan *plan, struct crebind_world *world,
                        const struct crebind_batch *batch);
void crebind_plan_end(struct crebind_plan *plan);

/// Adds the entries of one image, which the loader is done with: for slots if it
/// is `in_scope`, and for definitions if the batch redirects them; under both
/// locks. Of an image that is served late, the names of the definitions are marked as due.
crebind_status crebind_plan_add_image(struct crebind_plan *plan, size_t index, bool in_scope);

/// Adds the definitions of the names that are due or contested, of an image that has been
/// served; those that have an entry and should have none are marked.
crebind_status crebind_plan_judge_image(struct crebind_plan *plan, size_t index);

/// The version that a reference counts as asking for: its own, or, without one, that
/// of the definition that it is bound to.
const char *crebind_version_of_binding(const struct crebind_world *world, const char *version,
                                       size_t definer, const struct crebind_name *name);

/// True if the item asks for what a reference to `version` is bound to, which image
/// `definer` defines.
bool crebind_item_selects(const struct crebind_world *world, const struct crebind_item *item,
                          const char *version, size_t definer);

/// True if a jump slot's word still leads into its own image's PLT.
bool crebind_is_unresolved(const struct crebind_image *image, const struct crebind_slot *slot,
                           uintptr_t word);

/// Where calls jump that pass a slot by, as the PLT has been rewritten; 0 if they read it.
uintptr_t crebind_bypass_of(const struct crebind_image *image, const struct crebind_slot *slot);

/// The address of a non-PIE executable's canonical PLT entry for the name, which
/// stands for the function wherever its address is taken; 0 if there is none.
uintptr_t crebind_canonical_plt_entry(const struct crebind_world *world,
                                      const struct crebind_name *name);

/// True if a definition is visible to other images and is a function's.
bool crebind_is_exported_function(const ElfW(Sym) * symbol);

#pragma GCC visibility pop

#endif
