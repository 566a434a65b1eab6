#if defined(__linux__)
#define _GNU_SOURCE
#include "definitions/redirect.h"
#include "definitions/due-entries.h"
#include "definitions/dlsym-answers.h"
#include "planning/postponed.h"

static bool is_judged(const struct crebind_handle *handle) {
  return !crebind_is_leaving(handle) && !crebind_is_postponed(handle);
}

static bool is_due(const struct crebind_handle *handle) {
  if (!crebind_batch_redirects_definitions(&handle->batch) || !is_judged(handle)) return false;
  for (size_t n = 0; n < handle->batch.names.count; n++) {
    const struct crebind_name_state *state = &crebind_active_of(handle)->name_states[n];
    if (state->is_due || state->is_contested) return true;
  }
  return false;
}

bool crebind_redirect_is_due(void) {
  crebind_postponed_take_on();
  for CREBIND_EACH_BATCH(handle)
    if (is_due(handle)) return true;
  return false;
}

// MARK: - Judging

/// Plans the names of one batch over all images.
static crebind_status judge_handle(struct crebind_world *world, struct crebind_handle *handle) {
  crebind_judge_contested_names(handle);
  struct crebind_plan plan;
  crebind_plan_begin(&plan, world, handle, true);
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++) {
    status = crebind_plan_judge_image(&plan, i);
    if (status == CREBIND_OK
        && !crebind_take_entries(handle, crebind_world_known(world, i), &plan))
      status = CREBIND_OUT_OF_MEMORY;
  }
  crebind_need_notice(handle, plan.needs_notice);
  crebind_plan_end(&plan);
  return status;
}

// MARK: - Turning back

/// True if an entry is going, or has gone in this round.
static bool is_going(const struct crebind_entry *entry) {
  return entry->state >= CREBIND_TURNING_BACK;
}

/// The word that a definition gets back: the one that it had without the going entries at the top
/// of its chain.
static uintptr_t former_word(size_t image, uintptr_t address) {
  uintptr_t former = 0;
  for (const struct crebind_handle *handle = crebind_records.newest; handle != NULL;
       handle = handle->older) {
    const struct crebind_entry *entry = crebind_handle_find(handle, image, address);
    if (entry == NULL) continue;
    if (!is_going(entry) && !crebind_is_leaving(handle)) break;
    former = entry->previous;
  }
  return former;
}

static bool add_turned_back(struct crebind_commit *commit, uint32_t known) {
  for CREBIND_EACH_BATCH(handle) {
    struct crebind_run run = crebind_handle_run(handle, known);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
      const struct crebind_entry *entry = crebind_handle_entry(handle, i);
      if (entry->state != CREBIND_TURNING_BACK
          || crebind_find_top(known, entry->address) != entry)
        continue;
      uintptr_t former = former_word(known, entry->address);
      if (!crebind_commit_add(commit, entry, entry->value, former, false, true)) return false;
    }
  }
  return true;
}

/// False while somebody else's hook leads to us, or the page cannot be opened: then the
/// entry stays.
static bool is_turned_back(const struct crebind_entry *entry) {
  const struct crebind_entry *top = crebind_find_top(entry->image, entry->address);
  return !is_going(top)
         || crebind_load_word(entry->address) == former_word(entry->image, entry->address);
}

/// Leads the entry on top to what was below this entry.
static void relink(const struct crebind_handle *handle, const struct crebind_entry *entry) {
  struct crebind_handle *owner;
  struct crebind_entry *above =
      crebind_find_above(handle, entry->image, entry->address, &owner);
  if (above == NULL || above->previous != entry->value) return;
  crebind_entry_lead(above, entry->previous, entry->original);
}

static void drop_turned_back(void) {
  struct crebind_handle *handle;
  for (handle = crebind_records.oldest; handle != NULL; handle = handle->newer)
    for CREBIND_EACH_ENTRY(entry, handle) {
      if (entry->state != CREBIND_TURNING_BACK) continue;
      if (is_turned_back(entry))
        crebind_entry_step(entry, CREBIND_DROPPED);
      else
        // The entry is judged again later: it may be possible then.
        crebind_judge_name_of(handle, entry);
    }
  for (handle = crebind_records.oldest; handle != NULL; handle = handle->newer) {
    for CREBIND_EACH_ENTRY(entry, handle) {
      if (entry->state == CREBIND_DROPPED)
        relink(handle, entry);
      else if (entry->state == CREBIND_TURNING_BACK)
        crebind_entry_step(entry, CREBIND_STORED);
    }
    crebind_handle_drop(handle);
  }
}

static void forget_turning_back(void) {
  for CREBIND_EACH_BATCH(handle)
    for CREBIND_EACH_ENTRY(entry, handle) {
      if (entry->state == CREBIND_TURNING_BACK) crebind_entry_step(entry, CREBIND_STORED);
    }
}

// MARK: - All batches

static bool add_changes(struct crebind_commit *commit, const struct crebind_world *world) {
  for (size_t i = 0; i < world->images.items.count; i++) {
    uint32_t known = crebind_world_known(world, i);
    if (!crebind_add_due_changes(commit, known) || !add_turned_back(commit, known)) return false;
  }
  return true;
}

crebind_status crebind_redirect(struct crebind_world *world, struct crebind_commit *commit) {
  if (!crebind_redirect_is_due()) return CREBIND_OK;
  crebind_status status = CREBIND_OK;
  struct crebind_handle *handle;
  for (handle = crebind_records.oldest; handle != NULL && status == CREBIND_OK;
       handle = handle->newer)
    if (is_due(handle)) status = judge_handle(world, handle);
  if (status == CREBIND_OK && !crebind_scopes_are_sure(&world->scopes)) status = CREBIND_BUSY;
  if (status == CREBIND_OK && !add_changes(commit, world)) status = CREBIND_OUT_OF_MEMORY;
  // A caller that is led to a replacement may ask for its original at once.
  if (status == CREBIND_OK && !crebind_dlsym_publish(world, NULL)) status = CREBIND_OUT_OF_MEMORY;
  if (status == CREBIND_OK) {
    for (handle = crebind_records.oldest; handle != NULL; handle = handle->newer)
      if (is_judged(handle)) crebind_forget_due_names(handle);
    status = crebind_commit_run(commit, world);
  }
  for (size_t i = 0; i < world->images.items.count; i++)
    crebind_keep_stored(crebind_world_known(world, i), commit, status);
  if (status == CREBIND_OK)
    drop_turned_back();
  else
    forget_turning_back();
  crebind_vector_truncate(&commit->changes, 0);
  // Words that cannot be changed are passed over.
  return crebind_is_refusal(status) ? CREBIND_OK : status;
}

crebind_status crebind_redirect_postponed(struct crebind_handle *handle,
                                          struct crebind_world *world,
                                          struct crebind_commit *commit) {
  crebind_postponed_resume(handle);
  crebind_status status = crebind_redirect(world, commit);
  if (status == CREBIND_OK)
    crebind_postponed_end(handle);
  else
    crebind_postponed_wait(handle);
  return status;
}
#endif
