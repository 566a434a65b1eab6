#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/other-scopes.h"

/// The image that has a definition. It is SIZE_MAX for an address that is no definition, such as
/// somebody else's hook.
struct definer {
  size_t image;
  bool is_local;
};

/// Finds the definition of a name at an address.
static crebind_status find_definer(struct crebind_world *world, const struct crebind_name *name,
                                   uintptr_t address, struct definer *definer) {
  size_t index = crebind_world_image_with(world, address);
  *definer = (struct definer){SIZE_MAX, false};
  if (index == SIZE_MAX) return CREBIND_OK;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;)
    if (crebind_symbol_is_offered(crebind_symbol(dynamic, i))) definer->image = index;
  return crebind_scopes_is_outside(&world->scopes, index, &definer->is_local);
}

// MARK: - The published definition

/// The slots of an item by their definers, and the one of these that is published.
struct definers {
  /// The first definer in load order that is local, or SIZE_MAX.
  size_t first;
  /// The definer that is published if it is local, or SIZE_MAX if it is in the global scope.
  size_t published;
  /// Some slots lead to a definition of the global scope.
  bool has_global;
};

/// CREBIND_BUSY if the loader has to be asked.
static crebind_status find_published(struct crebind_world *world,
                                     const struct crebind_handle *handle,
                                     const struct crebind_item *item, struct definers *definers) {
  definers->published = definers->has_global ? SIZE_MAX : definers->first;
  const struct crebind_original *summary =
      crebind_original_of(handle, crebind_batch_index(&handle->batch, item));
  // For an active batch, the published definition stays: it is the one that the original comes
  // from, without our batches.
  const struct crebind_entry *source =
      handle->serial == 0 || summary->address == 0
          ? NULL
          : crebind_handle_find(handle, summary->image, summary->address);
  struct definer definer = {SIZE_MAX, false};
  crebind_status status = CREBIND_OK;
  if (source != NULL)
    status = find_definer(world, &item->name, crebind_find_lowest(source)->original, &definer);
  if (status == CREBIND_OK && definer.image == SIZE_MAX
      && handle->batch.options.scope == CREBIND_SCOPE_ALL && item->library == NULL
      && item->definer == 0 && item->exact.image == 0) {
    uintptr_t function;
    status = crebind_world_resolve(world, 0, &item->name, item->version, item->version == NULL,
                                   &function, &definer.image);
    if (status == CREBIND_OK && !crebind_scopes_are_sure(&world->scopes)) status = CREBIND_BUSY;
    if (status == CREBIND_OK && definer.image != SIZE_MAX)
      status = crebind_scopes_is_outside(&world->scopes, definer.image, &definer.is_local);
  }
  if (definer.image != SIZE_MAX) definers->published = definer.is_local ? definer.image : SIZE_MAX;
  return status;
}

// MARK: - Plans

struct leaving {
  struct crebind_plan *plan;
  /// The image of the global scope that was found last, where most originals lie.
  struct crebind_range last;
};

static struct crebind_entry *slot_at(const struct crebind_plan *plan, size_t index) {
  struct crebind_entry *entry = crebind_vector_at(&plan->entries, index);
  return entry->kind == CREBIND_DEFINITION ? NULL : entry;
}

/// Finds the definition that the entry leads to without our batches: the replacement of a batch
/// below is no definition.
static crebind_status definer_of(const struct leaving *leaving, const struct crebind_entry *entry,
                                 struct definer *definer) {
  const struct crebind_item *item = crebind_batch_item(leaving->plan->batch, entry->item);
  return find_definer(leaving->plan->world, &item->name, crebind_find_lowest(entry)->original,
                      definer);
}

/// True if some slot leads to a definition of a local scope, as few do.
static crebind_status has_local(struct leaving *leaving, bool *is_so) {
  struct crebind_world *world = leaving->plan->world;
  crebind_status status = CREBIND_OK;
  *is_so = false;
  for (size_t i = 0; i < leaving->plan->entries.count && status == CREBIND_OK && !*is_so; i++) {
    const struct crebind_entry *entry = slot_at(leaving->plan, i);
    if (entry == NULL) continue;
    uintptr_t original = crebind_find_lowest(entry)->original;
    if (original - leaving->last.start < leaving->last.end - leaving->last.start) continue;
    struct definer definer;
    status = definer_of(leaving, entry, &definer);
    *is_so = definer.image != SIZE_MAX && definer.is_local;
    if (definer.image != SIZE_MAX && !definer.is_local)
      leaving->last = crebind_world_image(world, definer.image)->span;
  }
  return status;
}

static crebind_status find_definers(const struct leaving *leaving,
                                    const struct crebind_handle *handle,
                                    struct definers *definers) {
  const struct crebind_plan *plan = leaving->plan;
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < plan->entries.count && status == CREBIND_OK; i++) {
    const struct crebind_entry *entry = slot_at(plan, i);
    if (entry == NULL) continue;
    struct definer definer;
    status = definer_of(leaving, entry, &definer);
    struct definers *found = &definers[entry->item];
    found->has_global |= definer.image != SIZE_MAX && !definer.is_local;
    if (definer.is_local && definer.image < found->first) found->first = definer.image;
  }
  for (size_t i = 0; i < plan->batch->items.count && status == CREBIND_OK; i++)
    if (definers[i].first != SIZE_MAX)
      status = find_published(plan->world, handle, crebind_batch_item(plan->batch, i),
                              &definers[i]);
  return status;
}

static crebind_status leave(const struct leaving *leaving, const struct definers *definers) {
  struct crebind_vector *entries = &leaving->plan->entries;
  size_t kept = 0;
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < entries->count; i++) {
    struct crebind_entry *entry = crebind_vector_at(entries, i);
    struct definer definer = {SIZE_MAX, false};
    if (entry->kind != CREBIND_DEFINITION && status == CREBIND_OK)
      status = definer_of(leaving, entry, &definer);
    bool is_left = definer.image != SIZE_MAX && definer.is_local
                   && definer.image != definers[entry->item].published;
    uint32_t *known = is_left ? crebind_vector_append(&leaving->plan->left_alone, 1) : NULL;
    if (known != NULL) *known = entry->image;
    if (is_left && known == NULL) status = CREBIND_OUT_OF_MEMORY;
    if (!is_left) *(struct crebind_entry *)crebind_vector_at(entries, kept++) = *entry;
  }
  crebind_vector_truncate(entries, kept);
  return status;
}

crebind_status crebind_leave_other_scopes(struct crebind_plan *plan,
                                          const struct crebind_handle *handle) {
  struct leaving leaving = {.plan = plan};
  bool is_needed;
  crebind_status status = has_local(&leaving, &is_needed);
  if (status != CREBIND_OK || !is_needed) return status;
  struct crebind_vector definers = CREBIND_VECTOR(struct definers);
  if (crebind_vector_append(&definers, plan->batch->items.count) == NULL)
    return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < definers.count; i++)
    ((struct definers *)definers.data)[i].first = SIZE_MAX;
  status = find_definers(&leaving, handle, (struct definers *)definers.data);
  if (status == CREBIND_OK) status = leave(&leaving, (const struct definers *)definers.data);
  crebind_vector_free(&definers);
  return status;
}
#endif
