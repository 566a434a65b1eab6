#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/plan-walk.h"
#include "patching/lazy-slots.h"

const char *crebind_walk_version(const struct crebind_walk *walk, uint32_t index) {
  return crebind_versions_find(walk->plan->world->scopes.versions, walk->image, walk->dynamic,
                               index)
      .name;
}

crebind_status crebind_walk_append(const struct crebind_walk *walk,
                                   const struct crebind_entry *entry) {
  struct crebind_entry *place = crebind_vector_push(&walk->plan->entries);
  if (place == NULL) return CREBIND_OUT_OF_MEMORY;
  *place = *entry;
  return CREBIND_OK;
}

// MARK: - Chains

bool crebind_walk_has_unrestored(const struct crebind_walk *walk, uintptr_t address,
                                uintptr_t replacement) {
  for CREBIND_EACH_BATCH(handle) {
    const struct crebind_entry *entry =
        crebind_is_unrestored(handle) ? crebind_handle_find(handle, walk->known, address) : NULL;
    if (entry != NULL
        && crebind_batch_item(&handle->batch, entry->item)->replacement == replacement)
      return true;
  }
  return false;
}

bool crebind_walk_may_be_led_here(const struct crebind_item *item) {
  for CREBIND_EACH_BATCH(handle)
    for (size_t i = 0; crebind_is_unrestored(handle) && i < handle->entries.count; i++) {
      const struct crebind_item *other =
          crebind_batch_item(&handle->batch, crebind_handle_entry(handle, i)->item);
      if (other->replacement == item->replacement
          && crebind_equal(other->name.string, item->name.string))
        return true;
    }
  return false;
}

const struct crebind_entry *crebind_walk_below(const struct crebind_walk *walk, uintptr_t address,
                                               uintptr_t word, uintptr_t value,
                                               bool is_unrestored) {
  struct crebind_handle *owner;
  if (walk->plan->late_handle != NULL)
    return crebind_find_below(walk->plan->late_handle, walk->known, address, &owner);
  // Mostly the word itself is what lies below. If it is our own value already, another batch may
  // have the same replacement, and may be restored before this one.
  if (word != value && !is_unrestored) return NULL;
  const struct crebind_entry *top = crebind_find_top(walk->known, address);
  return top != NULL && top->value == value ? top : NULL;
}

const struct crebind_entry *crebind_walk_overtaken(const struct crebind_walk *walk,
                                                   uintptr_t address, uintptr_t word) {
  const struct crebind_entry *top = crebind_find_top(walk->known, address);
  bool may_be = top != NULL && crebind_find_lowest(top)->is_lazy;
  return may_be && crebind_is_of_resolver(top, word) ? top : NULL;
}

bool crebind_walk_leads_here(const struct crebind_walk *walk, uintptr_t address, uintptr_t value) {
  const struct crebind_entry *entry = NULL;
  const struct crebind_handle *late = walk->plan->late_handle;
  if (!walk->has_wrappers) return false;
  for (const struct crebind_handle *handle = late != NULL ? late->older : crebind_records.newest;
       handle != NULL; handle = handle->older) {
    const struct crebind_entry *link = crebind_handle_find(handle, walk->known, address);
    if (link == NULL || handle == crebind_records.topmost) continue;
    if (!handle->is_own) return entry != NULL && link->value == value;
    entry = link;
  }
  return false;
}

const struct crebind_entry *crebind_walk_above(const struct crebind_walk *walk,
                                               uintptr_t address) {
  struct crebind_handle *owner;
  if (walk->plan->late_handle == NULL)
    return crebind_records.topmost == NULL
               ? NULL
               : crebind_handle_find(crebind_records.topmost, walk->known, address);
  return crebind_find_above(walk->plan->late_handle, walk->known, address, &owner);
}

void crebind_walk_take_place_below(const struct crebind_walk *walk, struct crebind_entry *entry,
                                   const struct crebind_entry *above) {
  crebind_entry_lead(entry, above->previous, above->original);
  // Another batch with the same replacement is below.
  struct crebind_handle *owner;
  const struct crebind_entry *below = NULL;
  if (walk->plan->late_handle == NULL && entry->previous == entry->value)
    below = crebind_find_below(crebind_records.topmost, entry->image, entry->address, &owner);
  if (below != NULL) crebind_entry_lead(entry, entry->previous, below->original);
  crebind_entry_inherit_kind(entry, above);
}
#endif
