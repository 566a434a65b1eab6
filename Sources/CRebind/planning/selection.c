#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/selection.h"

static bool is_exactly(const struct crebind_world *world, struct crebind_exact_definition exact,
                       struct crebind_definition definition) {
  return definition.image != SIZE_MAX
         && (exact.symbol == SIZE_MAX || exact.symbol == definition.symbol)
         && crebind_known_image_at(crebind_world_known(world, definition.image))->serial
                == exact.image;
}

bool crebind_item_matches(const struct crebind_world *world, const struct crebind_item *item,
                          const char *version, struct crebind_definition definition) {
  if (item->version != NULL && (version == NULL || !crebind_equal(version, item->version)))
    return false;
  if (item->exact.image != 0 && !is_exactly(world, item->exact, definition)) return false;
  return item->library == NULL
         || (definition.image != SIZE_MAX
             && crebind_world_is_library(world, definition.image, item->library));
}

bool crebind_find_definers(const struct crebind_world *world, const struct crebind_batch *batch) {
  uintptr_t last_definer = 0;
  uint64_t last_serial = 0;
  for (size_t i = 0; i < batch->items.count; i++) {
    struct crebind_item *item = crebind_batch_item(batch, i);
    if (item->definer == 0 || item->exact.image != 0) continue;
    if (item->definer != last_definer) {
      size_t index = crebind_world_find(world, (const void *)item->definer);
      if (index == SIZE_MAX) return false;
      last_definer = item->definer;
      last_serial = crebind_known_image_at(crebind_world_known(world, index))->serial;
    }
    crebind_item_found_definer(item, last_serial);
  }
  return true;
}

bool crebind_item_is_exported_by(const struct crebind_world *world,
                                 const struct crebind_item *item, size_t index,
                                 const ElfW(Sym) * *symbol) {
  const struct crebind_image *image = crebind_world_image(world, index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  const struct crebind_name *name = &item->name;
  const ElfW(Sym) *best = NULL;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;) {
    const ElfW(Sym) *found = crebind_symbol(dynamic, i);
    if (!crebind_symbol_is_offered(found)
        || !crebind_item_matches(world, item, crebind_symbol_version(image, dynamic, i).name,
                                 (struct crebind_definition){index, i}))
      continue;
    if (best == NULL || (crebind_symbol_is_data(best) && !crebind_symbol_is_data(found)))
      best = found;
  }
  if (symbol != NULL) *symbol = best;
  return best != NULL;
}

bool crebind_item_is_exported(const struct crebind_world *world, const struct crebind_item *item) {
  for (size_t i = 0; i < world->images.items.count; i++)
    if (!crebind_world_image(world, i)->is_vdso
        && crebind_item_is_exported_by(world, item, i, NULL))
      return true;
  return false;
}

const char *crebind_version_of_binding(const struct crebind_world *world, const char *version,
                                       size_t definer, const struct crebind_name *name) {
  if (version != NULL || definer == SIZE_MAX) return version;
  const struct crebind_reference reference = {*name, NULL, false};
  struct crebind_definition bound = crebind_scopes_offer(&world->scopes, definer, &reference);
  if (bound.image == SIZE_MAX) return NULL;
  return crebind_symbol_version(crebind_world_image(world, definer),
                                crebind_world_dynamic(world, definer), bound.symbol)
      .name;
}
#endif
