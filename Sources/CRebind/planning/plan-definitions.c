#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/resolver.h"
#include "planning/plan-walk.h"
#include "planning/selection.h"
#include "planning/slot-word.h"

static crebind_status add_definition(struct crebind_walk *walk, uint32_t symbol_index,
                                     size_t item_index) {
  struct crebind_plan *plan = walk->plan;
  const struct crebind_item *item = crebind_batch_item(plan->batch, item_index);
  const ElfW(Sym) *symbol = crebind_symbol(walk->dynamic, symbol_index);
  uintptr_t address = (uintptr_t)&symbol->st_value;
  struct crebind_entry entry = {
      .address = address,
      .previous = symbol->st_value,
      .value = item->replacement - walk->image->bias,
      .item = (uint32_t)item_index,
      .image = walk->known,
      .symbol = symbol_index,
      .kind = CREBIND_DEFINITION,
  };
  if (crebind_walk_leads_here(walk, address, entry.value)) return CREBIND_OK;
  if (crebind_walk_has_unrestored(walk, address, item->replacement)) {
    plan->needs_notice = true;
    return CREBIND_OK;
  }
  const struct crebind_entry *above = crebind_walk_above(walk, address), *below = NULL;
  if (above != NULL)
    crebind_walk_take_place_below(walk, &entry, above);
  else
    below = crebind_walk_below(walk, address, entry.previous, entry.previous, false);
  if (below != NULL) entry.previous = below->value;
  entry.original = crebind_symbol_address(&plan->world->scopes, walk->index, symbol,
                                          entry.previous);
  if (below != NULL && entry.original == item->replacement) entry.original = below->original;
  // A library may export the replacement under the symbol's name.
  if (entry.original == item->replacement) return CREBIND_OK;
  if ((symbol->st_info & 0xf) == STT_GNU_IFUNC) {
    entry.resolver = crebind_resolver_make(item->replacement);
    if (entry.resolver == 0) {
      plan->needs_notice = true;
      return CREBIND_OK;
    }
    entry.value = crebind_resolver_address(entry.resolver) - walk->image->bias;
  }
  return crebind_walk_append(walk, &entry);
}

/// Says whether the definition is the one of its name and version that may be redirected. That is
/// the first definition in the global scope. If the global scope has none, it is the only
/// definition in a local scope. Others must stay: RTLD_NEXT leads to those behind the first, and
/// the handle of an unrelated image may give one of several in local scopes.
static crebind_status elects(struct crebind_walk *walk, uint32_t name_index, uint32_t symbol,
                             const char *version, bool *is_elected) {
  const struct crebind_name *name = &walk->plan->batch->names.items[name_index];
  struct crebind_planned_name *planned = &walk->plan->active->planned_names[name_index];
  const struct crebind_reference reference = {*name, version, false};
  struct crebind_scopes *scopes = &walk->plan->world->scopes;
  if (!walk->is_outside) {
    // The images are visited in the scope's order, and mostly one defines a name.
    *is_elected = planned->first_definer == walk->index
                  || !crebind_scopes_have_before(scopes, walk->index, &reference);
    return CREBIND_OK;
  }
  // Many images may ask the same.
  bool is_known = planned->has_election
                  && crebind_is_same_version(planned->elected_version, version);
  if (!is_known) {
    struct crebind_definition elected;
    bool is_contested;
    crebind_status status =
        crebind_scopes_elect_outside(scopes, &reference, &elected, &is_contested);
    if (status != CREBIND_OK) return status;
    planned->has_election = true;
    planned->elected_version = version;
    planned->elected_image = elected.image;
    planned->elected_symbol = elected.symbol;
    walk->plan->active->name_states[name_index].is_contested |= is_contested;
  }
  *is_elected = planned->elected_image == walk->index && planned->elected_symbol == symbol;
  return CREBIND_OK;
}

/// The item of the name that selects the definition; SIZE_MAX for none. An item that is only for
/// references without a version selects no definition, because references with a version may be
/// bound to it, too.
static size_t select_for_definition(const struct crebind_walk *walk, uint32_t name,
                                    uint32_t symbol, const char *version) {
  const struct crebind_batch *batch = walk->plan->batch;
  uint32_t first = *(uint32_t *)crebind_vector_at(&batch->first, name);
  size_t selected = SIZE_MAX;
  for (uint32_t i = first + 1; i != 0; i = crebind_batch_item(batch, i - 1)->next) {
    const struct crebind_item *item = crebind_batch_item(batch, i - 1);
    if (!crebind_item_matches(walk->plan->world, item, version,
                              (struct crebind_definition){walk->index, symbol}))
      continue;
    if (item->unversioned_only) {
      walk->plan->needs_notice = true;
      return SIZE_MAX;
    }
    if (selected == SIZE_MAX) selected = i - 1;
  }
  return selected;
}

crebind_status crebind_walk_definition(struct crebind_walk *walk, uint32_t symbol,
                                       uint32_t name) {
  struct crebind_plan *plan = walk->plan;
  struct crebind_planned_name *planned = &plan->active->planned_names[name];
  if (!walk->is_outside && planned->first_definer == SIZE_MAX)
    planned->first_definer = walk->index;
  const char *version = crebind_walk_version(walk, symbol);
  size_t item = select_for_definition(walk, name, symbol, version);
  if (item == SIZE_MAX) return CREBIND_OK;
  bool is_elected;
  crebind_status status = elects(walk, name, symbol, version, &is_elected);
  if (status != CREBIND_OK) return status;
  const ElfW(Sym) *definition = crebind_symbol(walk->dynamic, symbol);
  bool can_redirect = !walk->image->is_loader && crebind_is_exported_function(definition);
  plan->needs_notice |= walk->is_outside || (is_elected && !can_redirect);
  struct crebind_entry *entry = NULL;
  if (plan->late_handle != NULL)
    entry = crebind_handle_find(plan->late_handle, walk->known, (uintptr_t)&definition->st_value);
  if (entry != NULL) {
    crebind_entry_step(entry, is_elected ? CREBIND_STORED : CREBIND_TURNING_BACK);
    return CREBIND_OK;
  }
  return is_elected && can_redirect ? add_definition(walk, symbol, item) : CREBIND_OK;
}
#endif
