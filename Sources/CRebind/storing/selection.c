#define _GNU_SOURCE
#include "storing/selection.h"

bool crebind_item_selects(const struct crebind_world *world, const struct crebind_item *item,
                          const char *version, size_t definer) {
  if (item->version != NULL && (version == NULL || !crebind_equal(version, item->version)))
    return false;
  return item->library == NULL
         || (definer != SIZE_MAX && crebind_world_is_library(world, definer, item->library));
}

const char *crebind_version_of_binding(const struct crebind_world *world, const char *version,
                                       size_t definer, const struct crebind_name *name) {
  if (version != NULL || definer == SIZE_MAX) return version;
  const struct crebind_reference reference = {name->string, name->length, name->gnu_hash, NULL,
                                              false};
  struct crebind_definition bound = crebind_scopes_offer(&world->scopes, definer, &reference);
  if (bound.image == SIZE_MAX) return NULL;
  return crebind_symbol_version(crebind_world_image(world, definer),
                                crebind_world_dynamic(world, definer), bound.symbol)
      .name;
}
