/// Whether an item of a batch asks for the definition that a reference is bound to. The item may
/// name a version, a library, or the image that defines it.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// The version that a reference counts as asking for: its own, or, without one, that
/// of the definition that it is bound to.
const char *crebind_version_of_binding(const struct crebind_world *world, const char *version,
                                       size_t definer, const struct crebind_name *name);

/// True if the item asks for a reference to `version` that is bound to the definition.
bool crebind_item_matches(const struct crebind_world *world, const struct crebind_item *item,
                          const char *version, struct crebind_definition definition);

/// Finds the images that items of the batch name as definers. False if one of them is not loaded.
bool crebind_find_definers(const struct crebind_world *world, const struct crebind_batch *batch);

/// True if the image exports the item's name, in its version and from its library.
///
/// \param symbol May be NULL; receives the definition, a function rather than data.
bool crebind_item_is_exported_by(const struct crebind_world *world,
                                 const struct crebind_item *item, size_t index,
                                 const ElfW(Sym) * *symbol);

/// True if any image but the vDSO exports the item's name in this way.
bool crebind_item_is_exported(const struct crebind_world *world, const struct crebind_item *item);

#pragma GCC visibility pop
#endif
