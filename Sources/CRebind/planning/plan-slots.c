#if defined(__linux__)
#define _GNU_SOURCE
#include "patching/patch.h"
#include "planning/plan-walk.h"
#include "planning/selection.h"
#include "planning/slot-word.h"

/// A reference's version and binding, found out once and only if needed.
struct binding {
  const char *version;
  uintptr_t function;
  struct crebind_definition definition;
  bool is_known;
};

static crebind_status bind(struct crebind_walk *walk, const struct crebind_slot *slot,
                           const struct crebind_name *name, struct binding *binding) {
  if (binding->is_known) return CREBIND_OK;
  binding->is_known = true;
  binding->version = crebind_walk_version(walk, slot->symbol);
  return crebind_world_bind(walk->plan->world, walk->index, name, binding->version, false,
                            &binding->function, &binding->definition);
}

/// The item of the batch that selects the slot; SIZE_MAX for none. An item for references without a
/// version takes precedence over an item for the version that such a reference is bound to.
static crebind_status select_item(struct crebind_walk *walk, const struct crebind_slot *slot,
                                  uint32_t first, struct binding *binding, size_t *selected) {
  const struct crebind_batch *batch = walk->plan->batch;
  *selected = SIZE_MAX;
  for (uint32_t i = first + 1; i != 0; i = crebind_batch_item(batch, i - 1)->next) {
    const struct crebind_item *item = crebind_batch_item(batch, i - 1);
    if (crebind_item_is_narrow(item)) {
      crebind_status status = bind(walk, slot, &item->name, binding);
      if (status != CREBIND_OK) return status;
      const char *version = binding->version;
      if (item->unversioned_only && version != NULL) continue;
      if (item->version != NULL)
        version = crebind_version_of_binding(walk->plan->world, version,
                                             binding->definition.image, &item->name);
      if (!crebind_item_matches(walk->plan->world, item, version, binding->definition)) continue;
    }
    if (*selected == SIZE_MAX || item->unversioned_only) *selected = i - 1;
  }
  return CREBIND_OK;
}

// MARK: - Places

/// May the word be changed?
enum leave { CHANGEABLE, BROKEN, SKIPPED, SERVED };

static enum leave may_be_changed(const struct crebind_walk *walk, const struct crebind_slot *slot) {
  if (!crebind_image_can_read(walk->image, slot->address, sizeof(uintptr_t))) return BROKEN;
  if (slot->address % sizeof(uintptr_t) != 0) return SKIPPED;
  // A text relocation: opening its page would make code writable.
  if (slot->kind == CREBIND_ABSOLUTE && crebind_patch_is_beside_code(walk->image, slot->address))
    return SKIPPED;
  const struct crebind_handle *late = walk->plan->late_handle;
  if (late != NULL && crebind_handle_find(late, walk->known, slot->address) != NULL)
    return SERVED;
  return CHANGEABLE;
}

/// A slot, and the item of the batch that asks for it.
struct visit {
  struct crebind_walk *walk;
  const struct crebind_slot *slot;
  const struct crebind_item *item;
  struct binding binding;
  /// The word leads to the replacement of some active batch for this name.
  bool is_replacement;
  /// Other batches' entries in the chain.
  const struct crebind_entry *above, *below;
  /// The entry for the plan.
  struct crebind_entry entry;
};

/// The place of the batch at a slot. A batch is late if it is brought to an image that was loaded
/// after the batch was applied. A late batch may also be leaving, that is, about to be restored.
/// The first row that fits counts:
///
///     late  leaving  on top  word          leads here  unrestored below  | place
///     yes   yes      -       not ours (1)  -           -          -      | NOT_LED
///     -     -        yes     -             -           -          -      | COVERED
///     -     -        -       -             yes         -          -      | THERE
///     no    -        -       -             -           yes        no     | THERE
///     -     -        -       -             -           -          yes    | ON_TOP
///     no    -        -       ours          -           -          -      | THERE
///     no    -        -       another's     -           -          -      | REPLACED
///     -     -        -       -             -           -          -      | BOUND
///
/// (1) The word below the batch on top, if one is on top.
enum place {
  /// Our definitions have not led the slot to us. A leaving batch takes on only slots that they
  /// have led to us.
  NOT_LED,
  /// Another batch lies on top: the entry goes below that one's.
  COVERED,
  /// Leads to the replacement already: nothing has to be stored.
  THERE,
  /// Holds another batch's value; our entry goes on top of it.
  ON_TOP,
  /// Holds a replacement that no batch has stored there: the loader has found it.
  REPLACED,
  /// Holds what the loader has bound it to, or is going to resolve.
  BOUND,
};

static enum place place_of(struct visit *visit) {
  const struct crebind_walk *walk = visit->walk;
  const struct crebind_entry *entry = &visit->entry;
  const struct crebind_handle *late = walk->plan->late_handle;
  uintptr_t address = entry->address, word = entry->previous, value = entry->value;
  visit->above = walk->has_chains ? crebind_walk_above(walk, address) : NULL;
  uintptr_t found = visit->above != NULL ? visit->above->previous : word;
  if (late != NULL && crebind_is_leaving(late) && found != value) return NOT_LED;
  if (visit->above != NULL) return COVERED;
  if (crebind_walk_leads_here(walk, address, value)) return THERE;
  bool is_unrestored =
      walk->has_chains && crebind_walk_has_unrestored(walk, address, visit->item->replacement);
  visit->below =
      walk->has_chains ? crebind_walk_below(walk, address, word, value, is_unrestored) : NULL;
  if (visit->below == NULL && walk->has_chains && late == NULL && !visit->is_replacement)
    visit->below = crebind_walk_overtaken(walk, address, word);
  if (visit->below != NULL) return ON_TOP;
  if (late == NULL && (is_unrestored || word == value)) return THERE;
  return late == NULL && visit->is_replacement ? REPLACED : BOUND;
}

static bool is_replacement_of(const struct crebind_plan *plan, size_t item, uintptr_t function) {
  struct crebind_planned_item *planned = &plan->active->planned_items[item];
  if (planned->last_function != function) {
    planned->last_function = function;
    planned->last_is_replacement =
        crebind_is_replacement(&crebind_batch_item(plan->batch, item)->name, function);
  }
  return planned->last_is_replacement;
}

/// True if another copy of CRebind has redirected the definition on top of a batch's rebinding with
/// this replacement. Then the loader binds a late image to that copy's replacement, which leads on
/// to ours. If we changed the slot ourselves, its calls would bypass the other copy's replacement.
static bool is_covered(const struct crebind_walk *walk, const struct crebind_handle *handle,
                       size_t definer, const struct crebind_item *item) {
  if (handle == NULL || definer == SIZE_MAX) return false;
  const struct crebind_name *name = &item->name;
  uint32_t known = crebind_world_known(walk->plan->world, definer);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(walk->plan->world, definer);
  struct crebind_symbol_walk symbols;
  crebind_symbol_walk_begin(&symbols, dynamic, name);
  for (size_t i; (i = crebind_symbol_walk_next(&symbols)) != 0;) {
    uintptr_t address = (uintptr_t)&dynamic->symbols[i].st_value;
    const struct crebind_entry *entry = crebind_handle_find(handle, known, address);
    struct crebind_handle *owner;
    if (entry != NULL && entry->state != CREBIND_DUE
        && crebind_batch_item(&handle->batch, entry->item)->replacement == item->replacement
        && crebind_find_above(handle, known, address, &owner) == NULL
        && crebind_load_word(address) != entry->value)
      return true;
  }
  return false;
}

/// True if one of the unrestored batches is covered in this way.
static bool is_unrestored_covered(const struct crebind_walk *walk, size_t definer,
                                 const struct crebind_item *item) {
  for CREBIND_EACH_BATCH(handle)
    if (crebind_is_unrestored(handle) && is_covered(walk, handle, definer, item)) return true;
  return false;
}

// MARK: - Answers

/// Adds the entry, unless it has no original. A weak reference that nothing defines has none: the
/// program checks for NULL before it calls.
static crebind_status add(const struct visit *visit) {
  if (visit->entry.original != 0) return crebind_walk_append(visit->walk, &visit->entry);
  visit->walk->plan->skipped++;
  return CREBIND_OK;
}

/// Finds out whether another copy of CRebind lies on top of what a late batch would store.
static crebind_status look_for_others(struct visit *visit) {
  if (visit->walk->plan->late_handle == NULL || visit->is_replacement) return CREBIND_OK;
  const struct crebind_name *name = &visit->item->name;
  crebind_status status = bind(visit->walk, visit->slot, name, &visit->binding);
  if (status == CREBIND_OK)
    visit->entry.is_left = is_covered(visit->walk, visit->walk->plan->late_handle,
                                      visit->binding.definition.image, visit->item);
  return status;
}

static crebind_status add_on_top(struct visit *visit) {
  const struct crebind_entry *entry = &visit->entry;
  const struct crebind_entry *below = visit->below;
  crebind_status status = look_for_others(visit);
  if (status != CREBIND_OK) return status;
  visit->entry.previous = below->value;
  visit->entry.is_lazy = below->is_lazy;
  visit->entry.original =
      below->value == entry->value ? below->original : below->value - visit->slot->added;
  return crebind_walk_append(visit->walk, entry);
}

/// Finds the function of a local entry point. A lookup does not know that RTLD_DEEPBIND has the
/// image's own definition come first, so the image is asked before.
static bool has_function(struct visit *visit) {
  const struct crebind_walk *walk = visit->walk;
  return crebind_find_own_function(walk->image, walk->dynamic, &visit->item->name,
                                   &visit->entry.original);
}

/// True if the word is not the function that calls reach. Then a lookup as the loader's gives that
/// function.
static bool needs_binding(struct visit *visit, bool is_canonical) {
  const struct crebind_entry *entry = &visit->entry;
  return entry->is_lazy || visit->is_replacement || entry->kind == CREBIND_ABSOLUTE
         || is_canonical || !has_function(visit);
}

/// Finds out whether a slot leads, or is going to be bound, to somebody else's hook that leads on
/// to a left-over batch with the same replacement. On top of that hook, our replacement would lead
/// back to itself.
static crebind_status look_for_unrestored(struct visit *visit, uintptr_t target,
                                         bool is_canonical) {
  const struct crebind_entry *entry = &visit->entry;
  struct crebind_walk *walk = visit->walk;
  if (entry->kind == CREBIND_ABSOLUTE || visit->is_replacement || is_canonical
      || !crebind_walk_may_be_led_here(visit->item))
    return CREBIND_OK;
  crebind_status status = bind(walk, visit->slot, &visit->item->name, &visit->binding);
  if (status != CREBIND_OK) return status;
  visit->entry.is_left |= entry->is_lazy
                        ? is_unrestored_covered(walk, visit->binding.definition.image, visit->item)
                        : target != visit->binding.function
                              && !crebind_is_local_entry(walk->image, target);
  return CREBIND_OK;
}

static crebind_status add_bound(struct visit *visit) {
  struct crebind_walk *walk = visit->walk;
  const struct crebind_entry *entry = &visit->entry;
  const struct crebind_name *name = &visit->item->name;
  crebind_status status = look_for_others(visit);
  if (status != CREBIND_OK) return status;
  uintptr_t target = entry->original, addend = visit->slot->added;
  uintptr_t canonical = crebind_canonical_plt_entry(walk->plan->world, name);
  bool is_canonical = canonical != 0 && target == canonical;
  visit->entry.is_lazy = crebind_is_unresolved(walk->image, visit->slot, entry->previous);
  if (needs_binding(visit, is_canonical)) {
    status = bind(walk, visit->slot, name, &visit->binding);
    if (status != CREBIND_OK) return status;
    visit->entry.original = visit->binding.function;
  }
  status = look_for_unrestored(visit, target, is_canonical);
  if (status != CREBIND_OK) return status;
  if (entry->is_left) {
    visit->entry.original = visit->binding.function;
    if (!entry->is_lazy) visit->entry.previous = visit->binding.function + addend;
  }
  // The loader bound the slot to a replacement, so the slot's word is not the former word.
  if (visit->is_replacement) visit->entry.previous = entry->original + addend;
  // Data that has been assigned since is the program's, not the loader's.
  bool is_assigned = entry->kind == CREBIND_ABSOLUTE && !visit->is_replacement
                     && !entry->is_left && target != entry->original && !is_canonical;
  if (is_assigned) visit->entry.original = 0;
  return add(visit);
}

static crebind_status answer(struct visit *visit) {
  struct crebind_plan *plan = visit->walk->plan;
  switch (place_of(visit)) {
  case NOT_LED: return CREBIND_OK;
  case COVERED:
    crebind_walk_take_place_below(visit->walk, &visit->entry, visit->above);
    return crebind_walk_append(visit->walk, &visit->entry);
  case THERE:
    plan->unchanged += plan->late_handle == NULL;
    plan->active->planned_items[visit->entry.item].is_reached = true;
    return CREBIND_OK;
  case ON_TOP: return add_on_top(visit);
  case REPLACED: return add(visit);
  case BOUND: return add_bound(visit);
  }
  return CREBIND_OK;
}

// MARK: -

/// Plans a slot that an item of the batch asks for.
static crebind_status plan_slot(struct visit *visit, size_t item) {
  struct crebind_plan *plan = visit->walk->plan;
  const struct crebind_slot *slot = visit->slot;
  uintptr_t word = crebind_load_word(slot->address);
  // musl leaves a slot in this state if nothing defines its symbol.
  if (crebind_image_is_link_time(visit->walk->image, word)) {
    plan->skipped++;
    return CREBIND_OK;
  }
  visit->item = crebind_batch_item(plan->batch, item);
  visit->entry = (struct crebind_entry){
      .address = slot->address,
      .previous = word,
      .original = word - slot->added,
      .value = visit->item->replacement + slot->added,
      .item = (uint32_t)item,
      .image = visit->walk->known,
      .symbol = slot->symbol,
      .kind = (uint8_t)slot->kind,
  };
  // The PLT of an image that came while a definition was redirected jumps to the replacement.
  uintptr_t bypass = crebind_bypass_of(visit->walk->image, slot);
  plan->bypassed += bypass != 0 && bypass != visit->item->replacement;
  visit->is_replacement = is_replacement_of(plan, item, visit->entry.original);
  return answer(visit);
}

crebind_status crebind_walk_slot(void *context, const struct crebind_slot *slot, uint32_t name) {
  struct crebind_walk *walk = context;
  struct crebind_plan *plan = walk->plan;
  switch (may_be_changed(walk, slot)) {
  case BROKEN:
    *(int64_t *)crebind_vector_at(&plan->world->broken_tags, walk->index) = slot->tag;
    return CREBIND_BROKEN_IMAGE;
  case SKIPPED: plan->skipped++; return CREBIND_OK;
  case SERVED: return CREBIND_OK;
  case CHANGEABLE: break;
  }
  struct visit visit;  // the rest follows once an item asks for the slot
  visit.walk = walk;
  visit.slot = slot;
  visit.binding = (struct binding){.definition = {SIZE_MAX, 0}};
  size_t item;
  uint32_t first = *(uint32_t *)crebind_vector_at(&plan->batch->first, name);
  crebind_status status = select_item(walk, slot, first, &visit.binding, &item);
  return status != CREBIND_OK || item == SIZE_MAX ? status : plan_slot(&visit, item);
}
#endif
