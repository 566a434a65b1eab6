#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/plan.h"
#include "binding/resolver.h"
#include "planning/plan-walk.h"

void crebind_plan_begin(struct crebind_plan *plan, struct crebind_world *world,
                        struct crebind_handle *handle, bool is_late) {
  memset(plan, 0, sizeof *plan);
  plan->world = world;
  plan->batch = &handle->batch;
  plan->active = crebind_active_of(handle);
  plan->late_handle = is_late ? handle : NULL;
  plan->entries = CREBIND_VECTOR(struct crebind_entry);
  plan->left_alone = CREBIND_VECTOR(uint32_t);
  crebind_slot_scan_begin(&plan->scan);
  for (size_t i = 0; i < handle->batch.items.count; i++) {
    plan->active->planned_items[i].is_reached = false;
    plan->active->planned_items[i].last_function = 0;
    plan->active->planned_names[i].has_election = false;
    plan->active->planned_names[i].first_definer = SIZE_MAX;
  }
}

void crebind_plan_end(struct crebind_plan *plan) {
  for (size_t i = 0; i < plan->entries.count; i++)
    crebind_resolver_free(((struct crebind_entry *)crebind_vector_at(&plan->entries, i))->resolver);
  crebind_vector_free(&plan->entries);
  crebind_vector_free(&plan->left_alone);
  crebind_slot_scan_end(&plan->scan);
}

// MARK: - Images

static struct crebind_walk walk_of(struct crebind_plan *plan, size_t index) {
  struct crebind_walk walk = {
      .plan = plan,
      .index = index,
      .known = crebind_world_known(plan->world, index),
      .image = crebind_world_image(plan->world, index),
      .dynamic = crebind_world_dynamic(plan->world, index),
  };
  for CREBIND_EACH_BATCH(handle) {
    if (crebind_handle_run(handle, walk.known).count == 0) continue;
    walk.has_chains |= handle != plan->late_handle;
    walk.has_wrappers |= handle->is_own && handle != crebind_records.topmost;
  }
  return walk;
}

/// The image's definitions of the batch's names, as the scan has found them.
static crebind_status add_definitions(struct crebind_walk *walk) {
  const struct crebind_slot_scan *scan = &walk->plan->scan;
  if (scan->matches.count == 0) return CREBIND_OK;
  crebind_status status = crebind_scopes_is_outside(&walk->plan->world->scopes, walk->index,
                                                    &walk->is_outside);
  for (size_t m = 0; m < scan->matches.count && status == CREBIND_OK; m++) {
    uint32_t match = *(uint32_t *)crebind_vector_at(&scan->matches, m);
    if (!crebind_symbol_is_offered(crebind_symbol(walk->dynamic, match))) continue;
    uint32_t name = crebind_slot_scan_name(scan, match);
    // The definitions of a late image are judged with those of all other images, once it is served.
    if (walk->plan->late_handle != NULL)
      walk->plan->active->name_states[name].is_due = true;
    else
      status = crebind_walk_definition(walk, match, name);
  }
  return status;
}

crebind_status crebind_plan_judge_image(struct crebind_plan *plan, size_t index) {
  struct crebind_walk walk = walk_of(plan, index);
  const struct crebind_names *names = &plan->batch->names;
  if (walk.image->is_vdso) return CREBIND_OK;
  crebind_status status =
      crebind_scopes_is_outside(&plan->world->scopes, index, &walk.is_outside);
  for (uint32_t n = 0; n < names->count && status == CREBIND_OK; n++) {
    const struct crebind_name_state *state = &plan->active->name_states[n];
    const struct crebind_name *name = &names->items[n];
    if ((!state->is_due && !state->is_contested)
        || !crebind_symbol_may_be_hashed(walk.dynamic, name->gnu_hash))
      continue;
    struct crebind_symbol_walk symbols;
    crebind_symbol_walk_begin(&symbols, walk.dynamic, name);
    for (size_t i; status == CREBIND_OK && (i = crebind_symbol_walk_next(&symbols)) != 0;)
      if (crebind_symbol_is_offered(crebind_symbol(walk.dynamic, i)))
        status = crebind_walk_definition(&walk, (uint32_t)i, n);
  }
  return status;
}

crebind_status crebind_plan_add_image(struct crebind_plan *plan, size_t index, bool in_scope) {
  struct crebind_walk walk = walk_of(plan, index);
  bool redirects = crebind_batch_redirects_definitions(plan->batch);
  // The loader's own slots are left alone. Its definitions are not, because other images are bound
  // to them.
  bool has_slots = in_scope && !walk.image->is_loader;
  if (walk.image->is_vdso || (!has_slots && !redirects)) return CREBIND_OK;
  crebind_status status = crebind_slot_scan_match(&plan->scan, walk.dynamic, &plan->batch->names);
  plan->packed += has_slots && walk.dynamic->is_packed
                  && crebind_slot_scan_asks(&plan->scan, walk.dynamic);
  if (status == CREBIND_OK && has_slots)
    status = crebind_slot_scan_visit(&plan->scan, walk.image, walk.dynamic,
                                     plan->batch->options.slot_kinds, crebind_walk_slot, &walk);
  if (status == CREBIND_OK && redirects) status = add_definitions(&walk);
  return status;
}

void crebind_plan_note_reached(struct crebind_plan *plan) {
  for (size_t i = 0; i < plan->entries.count; i++) {
    const struct crebind_entry *entry = crebind_vector_at(&plan->entries, i);
    if (entry->kind != CREBIND_DEFINITION)
      plan->active->planned_items[entry->item].is_reached = true;
  }
}
#endif
