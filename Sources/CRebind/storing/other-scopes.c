#define _GNU_SOURCE
#include "storing/other-scopes.h"

crebind_status crebind_local_definer(struct crebind_world *world, const struct crebind_name *name,
                                     uintptr_t address, size_t *definer) {
  size_t index = crebind_world_image_with(world, address);
  *definer = SIZE_MAX;
  if (index == SIZE_MAX) return CREBIND_OK;
  bool is_outside;
  crebind_status status = crebind_scopes_is_outside(&world->scopes, index, &is_outside);
  if (status != CREBIND_OK || !is_outside) return status;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name->string, name->length, name->gnu_hash);
  // Somebody else's hook may lead there, too, and is no definition.
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;)
    if (crebind_symbol_is_offered(crebind_symbol(dynamic, i))) *definer = index;
  return status;
}

crebind_status crebind_published_definer(struct crebind_world *world,
                                         const struct crebind_handle *handle,
                                         const struct crebind_item *item, size_t first,
                                         bool has_others, size_t *definer) {
  // Of a batch that is active, it stays as it is: where the original comes from, without any of us.
  const struct crebind_entry *source =
      handle->serial == 0 || item->summary_address == 0
          ? NULL
          : crebind_handle_find(handle, item->summary_image, item->summary_address);
  if (source != NULL)
    return crebind_local_definer(world, &item->name, crebind_find_lowest(source)->original,
                                 definer);
  *definer = has_others ? SIZE_MAX : first;
  if (handle->batch.options.scope != CREBIND_SCOPE_ALL || item->library != NULL) return CREBIND_OK;
  uintptr_t function;
  size_t found;
  crebind_status status = crebind_world_resolve(world, 0, &item->name, item->version,
                                                item->version == NULL, &function, &found);
  if (status != CREBIND_OK) return status;
  if (!crebind_scopes_are_sure(&world->scopes)) return CREBIND_BUSY;
  bool is_outside = true;
  if (found != SIZE_MAX) status = crebind_scopes_is_outside(&world->scopes, found, &is_outside);
  if (found != SIZE_MAX) *definer = is_outside ? found : SIZE_MAX;
  return status;
}

// MARK: - Plans

/// The slots of an item by their definers, and the one of these that is published.
struct definers {
  /// The first local one in load order, or SIZE_MAX.
  size_t first;
  size_t published;
  /// Some slots lead to other functions.
  bool has_others;
};

struct leaving {
  struct crebind_plan *plan;
  const struct crebind_handle *handle;
  /// The image of the global scope that was found last, where most originals lie.
  struct crebind_range last;
};

static struct crebind_entry *slot_at(const struct crebind_plan *plan, size_t index) {
  struct crebind_entry *entry = crebind_vector_at(&plan->entries, index);
  return entry->kind == CREBIND_DEFINITION ? NULL : entry;
}

static bool is_in(struct crebind_range range, uintptr_t address) {
  return address - range.start < range.end - range.start;
}

static crebind_status definer_of(struct leaving *leaving, const struct crebind_entry *entry,
                                 size_t *definer) {
  *definer = SIZE_MAX;
  if (is_in(leaving->last, entry->original)) return CREBIND_OK;
  // Without any of us: the replacement of a batch below is no definition.
  uintptr_t original = crebind_find_lowest(entry)->original;
  if (is_in(leaving->last, original)) return CREBIND_OK;
  struct crebind_world *world = leaving->plan->world;
  const struct crebind_item *item = crebind_batch_item(leaving->plan->batch, entry->item);
  crebind_status status = crebind_local_definer(world, &item->name, original, definer);
  size_t index = *definer == SIZE_MAX ? crebind_world_image_with(world, original) : SIZE_MAX;
  bool is_outside = true;
  if (status == CREBIND_OK && index != SIZE_MAX)
    status = crebind_scopes_is_outside(&world->scopes, index, &is_outside);
  if (!is_outside) leaving->last = crebind_world_image(world, index)->span;
  return status;
}

static crebind_status find_definers(struct leaving *leaving, struct definers *definers) {
  const struct crebind_plan *plan = leaving->plan;
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < plan->entries.count && status == CREBIND_OK; i++) {
    const struct crebind_entry *entry = slot_at(plan, i);
    if (entry == NULL) continue;
    size_t definer;
    status = definer_of(leaving, entry, &definer);
    struct definers *found = &definers[entry->item];
    found->has_others |= definer == SIZE_MAX;
    if (definer < found->first) found->first = definer;
  }
  for (size_t i = 0; i < plan->batch->items.count && status == CREBIND_OK; i++)
    if (definers[i].first != SIZE_MAX)
      status = crebind_published_definer(plan->world, leaving->handle,
                                         crebind_batch_item(plan->batch, i), definers[i].first,
                                         definers[i].has_others, &definers[i].published);
  return status;
}

/// True if some slot leads to a definition of a local scope, as few do.
static crebind_status has_local(struct leaving *leaving, bool *is_so) {
  crebind_status status = CREBIND_OK;
  *is_so = false;
  for (size_t i = 0; i < leaving->plan->entries.count && status == CREBIND_OK && !*is_so; i++) {
    const struct crebind_entry *entry = slot_at(leaving->plan, i);
    size_t definer = SIZE_MAX;
    if (entry != NULL) status = definer_of(leaving, entry, &definer);
    *is_so = definer != SIZE_MAX;
  }
  return status;
}

static crebind_status leave(struct leaving *leaving, const struct definers *definers) {
  struct crebind_vector *entries = &leaving->plan->entries;
  size_t kept = 0;
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < entries->count; i++) {
    struct crebind_entry *entry = crebind_vector_at(entries, i);
    size_t definer = SIZE_MAX;
    if (entry->kind != CREBIND_DEFINITION && status == CREBIND_OK)
      status = definer_of(leaving, entry, &definer);
    bool is_left = definer != SIZE_MAX && definer != definers[entry->item].published;
    if (is_left) {
      uint32_t *known = crebind_vector_append(&leaving->plan->left_alone, 1);
      if (known == NULL) status = CREBIND_OUT_OF_MEMORY;
      if (known != NULL) *known = entry->image;
    }
    if (!is_left) *(struct crebind_entry *)crebind_vector_at(entries, kept++) = *entry;
  }
  crebind_vector_truncate(entries, kept);
  return status;
}

crebind_status crebind_leave_other_scopes(struct crebind_plan *plan,
                                          const struct crebind_handle *handle) {
  struct leaving leaving = {.plan = plan, .handle = handle};
  bool is_needed;
  crebind_status status = has_local(&leaving, &is_needed);
  if (status != CREBIND_OK || !is_needed) return status;
  struct crebind_vector definers = CREBIND_VECTOR(struct definers);
  if (crebind_vector_append(&definers, plan->batch->items.count) == NULL)
    return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < definers.count; i++)
    ((struct definers *)definers.data)[i].first = SIZE_MAX;
  status = find_definers(&leaving, (struct definers *)definers.data);
  if (status == CREBIND_OK)
    status = leave(&leaving, (const struct definers *)definers.data);
  crebind_vector_free(&definers);
  return status;
}
