/// Applying a batch.

#if defined(__linux__)
#define _GNU_SOURCE
#include "definitions/redirect.h"
#include "arrivals/unrestored.h"
#include "definitions/dlsym-answers.h"
#include "patching/lazy-slots.h"
#include "arrivals/reachability.h"
#include "patching/settle.h"
#include "planning/originals.h"
#include "planning/postponed.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "transactions/attempt.h"
#include "transactions/dlsym-slots.h"
#include "transactions/transaction.h"

/// Counts the rebindings that have changed nothing and whose symbol nothing defines, and
/// those that have several originals.
static void count_items(const struct crebind_handle *handle, crebind_report *report) {
  for (size_t i = 0; i < handle->batch.items.count; i++) {
    const struct crebind_original *summary = crebind_original_of(handle, i);
    report->pending += summary->original == 0;
    report->ambiguous += summary->is_ambiguous;
  }
}

struct apply {
  struct crebind_handle *handle;
  crebind_report report;
  /// See crebind_apply_batch.
  crebind_apply_companion *companion;
  /// Another thread's resolver may store into a slot of the batch.
  bool may_race;
  /// A question to dlsym may be under way; see planning/postponed.h.
  bool was_asked;
  /// The call has failed, but the handle stays, with the words that could not be taken back.
  bool is_unrestored;
};

static bool is_stored(const struct crebind_entry *entry) {
  // On top of a batch with the same replacement, nothing has to be stored.
  return !entry->is_left && entry->previous != entry->value
         && crebind_dlsym_slots_of(entry) == NULL;
}

/// Has the topmost batch lead to the entries below it. Returns true if it has such entries.
static bool lead_covers(const struct crebind_handle *handle) {
  bool has_covers = false;
  for CREBIND_EACH_ENTRY(entry, handle) {
    struct crebind_entry *cover = crebind_dlsym_slots_of(entry);
    if (cover == NULL || cover->previous == entry->value) continue;
    crebind_entry_lead(cover, entry->value,
                       crebind_batch_item(&handle->batch, entry->item)->replacement);
    has_covers = true;
  }
  return has_covers;
}

/// Drops the entries that could not be changed: definitions, and all entries of sealed images.
///
/// \param next The first of the batch's changes.
static void drop_refused(struct crebind_attempt *attempt, struct crebind_handle *handle,
                         size_t next, crebind_report *report) {
  if (attempt->commit.refused == 0 && !attempt->commit.skips_sealed) return;
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (!is_stored(entry)) continue;
    const struct crebind_change *change = crebind_vector_at(&attempt->commit.changes, next++);
    crebind_entry_drop_if(entry, change->is_refused);
    report->sealed += change->is_sealed && entry->kind != CREBIND_DEFINITION;
  }
  crebind_handle_drop(handle);
}

/// Counts the slots that hold our value now.
static void count_slots(const struct crebind_handle *handle, crebind_report *report) {
  uint32_t last_image = UINT32_MAX;
  for CREBIND_EACH_ENTRY(entry, handle) {
    bool is_slot = entry->kind != CREBIND_DEFINITION;
    if (!is_slot || entry->is_left || entry->previous == entry->value) continue;
    report->changed++;
    report->images += entry->image != last_image;
    last_image = entry->image;
  }
}

static crebind_status store_entries(struct crebind_attempt *attempt, struct apply *apply) {
  struct crebind_handle *handle = apply->handle;
  crebind_report *report = &apply->report;
  size_t first = attempt->commit.changes.count;
  bool has_lazy_slots = false;
  for CREBIND_EACH_ENTRY(entry, handle) {
    bool is_slot = entry->kind != CREBIND_DEFINITION;
    if (entry->is_left) {
      report->skipped++;
      continue;
    }
    if (entry->previous == entry->value) {
      report->unchanged += is_slot;
      continue;
    }
    if (is_stored(entry)
        && !crebind_commit_add(&attempt->commit, entry, entry->previous, entry->value, true,
                               !is_slot))
      return CREBIND_OUT_OF_MEMORY;
    has_lazy_slots |= entry->is_lazy;
  }
  apply->may_race |= has_lazy_slots && !crebind_is_alone();
  attempt->commit.skips_sealed = handle->batch.options.skips_sealed_images;
  crebind_status status = crebind_commit_run(&attempt->commit, &attempt->world);
  if (status != CREBIND_OK) return status;
  drop_refused(attempt, handle, first, report);
  crebind_vector_truncate(&attempt->commit.changes, 0);
  count_slots(handle, report);
  return status;
}

static bool has_definitions(const struct crebind_handle *handle) {
  for (size_t i = 0; i < handle->entries.count; i++)
    if (crebind_handle_entry(handle, i)->kind == CREBIND_DEFINITION) return true;
  return false;
}

/// Postpones the definitions if the image of a replacement may be asking dlsym since before the
/// batch was published.
static crebind_status postpone_definitions(struct apply *apply) {
  struct crebind_handle *handle = apply->handle;
  if (handle->is_own || !crebind_dlsym_has_images() || !has_definitions(handle)
      || crebind_is_alone())
    return CREBIND_OK;
  if (!crebind_postpone(handle)) return CREBIND_OUT_OF_MEMORY;
  apply->report.postponed = crebind_count_postponed(handle);
  return CREBIND_OK;
}

static crebind_status name_unrestored(struct crebind_attempt *attempt,
                                     const struct crebind_handle *handle) {
  const struct crebind_entry *first = crebind_handle_entry(handle, 0);
  attempt->commit.failed_image = crebind_known_image_at(first->image)->index;
  attempt->commit.failure.address = first->address;
  attempt->commit.failure.size = 0;
  return CREBIND_NOT_TAKEN_BACK;
}

/// Takes the plan's entries for the batch and stores them. On failure, the plan gets them back.
static crebind_status commit_plan(struct crebind_attempt *attempt, struct apply *apply,
                                  struct crebind_plan *plan) {
  struct crebind_handle *handle = apply->handle;
  crebind_handle_exchange_entries(handle, &plan->entries);
  crebind_status status = crebind_handle_index(handle) ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
  if (status == CREBIND_OK) status = crebind_originals_update(handle, &attempt->world);
  count_items(handle, &apply->report);
  if (status == CREBIND_OK && !crebind_attempt_is_sure(attempt)) status = CREBIND_BUSY;
  if (status == CREBIND_OK)
    status = crebind_held_images_collect(attempt->held_images, &attempt->world, &handle->batch);
  apply->was_asked = crebind_dlsym_exchange_asked(false);
  // A caller that is led to a replacement may ask for its original at once.
  if (status == CREBIND_OK && !crebind_dlsym_publish(&attempt->world, handle))
    status = CREBIND_OUT_OF_MEMORY;
  if (status == CREBIND_OK) status = postpone_definitions(apply);
  if (status == CREBIND_OK) status = store_entries(attempt, apply);
  if (status == CREBIND_OK) {
    // The flag stays set for a batch that waits.
    if (apply->was_asked && apply->report.postponed == 0) crebind_dlsym_exchange_asked(true);
    crebind_need_notice(handle, apply->report.pending != 0 || attempt->commit.refused != 0
                                    || plan->needs_notice
                                    || !crebind_batch_redirects_definitions(&handle->batch));
    crebind_handle_link(handle);
    if (lead_covers(handle)) crebind_dlsym_publish(&attempt->world, NULL);
    return status;
  }
  if (apply->was_asked) crebind_dlsym_exchange_asked(true);
  apply->is_unrestored = crebind_unrestored_keep(handle, &attempt->commit);
  if (apply->is_unrestored) return name_unrestored(attempt, handle);
  // The originals stay published: a thread may be inside of a replacement.
  crebind_handle_exchange_entries(handle, &plan->entries);  // frees their resolvers
  crebind_originals_forget(handle);
  return status;
}

/// Checks whether the rebindings reach something, as far as the caller expects that. Counts those
/// that reach nothing.
static crebind_status look_for_reach(struct crebind_attempt *attempt, struct apply *apply,
                                     struct crebind_plan *plan) {
  const struct crebind_batch *batch = &apply->handle->batch;
  crebind_plan_note_reached(plan);
  for (size_t i = 0; i < batch->items.count; i++) {
    const struct crebind_item *item = crebind_batch_item(batch, i);
    apply->report.intercepted += crebind_is_intercepted(&attempt->world, apply->handle, item);
    if (plan->active->planned_items[i].is_reached) continue;
    apply->report.unreached++;
    crebind_status status = crebind_check_reach(&attempt->world, batch, item);
    if (status == CREBIND_OK) continue;
    attempt->failed_item = (int64_t)i;
    return status;
  }
  return CREBIND_OK;
}

static crebind_status plan_and_commit(struct crebind_attempt *attempt, struct apply *apply) {
  struct crebind_plan plan;
  crebind_plan_begin(&plan, &attempt->world, apply->handle, false);
  crebind_status status = crebind_attempt_plan(attempt, &plan, apply->handle);
  apply->report.unchanged = plan.unchanged;
  apply->report.skipped = plan.skipped;
  apply->report.bypassed = plan.bypassed;
  apply->report.packed = plan.packed;
  apply->report.left_alone = plan.left_alone.count;
  crebind_note_left_slots(apply->handle, plan.left_alone.count != 0);
  if (status == CREBIND_OK) status = look_for_reach(attempt, apply, &plan);
  if (status == CREBIND_OK) status = commit_plan(attempt, apply, &plan);
  crebind_plan_end(&plan);
  return status;
}

static crebind_status apply_locked(struct crebind_attempt *attempt, void *context) {
  struct apply *apply = context;
  if (apply->is_unrestored) return CREBIND_NOT_TAKEN_BACK;
  memset(&apply->report, 0, sizeof apply->report);
  crebind_status status = crebind_attempt_ask(attempt, apply->handle);
  if (status != CREBIND_OK) return status;
  status = crebind_dlsym_slots_begin(attempt, apply->handle, &apply->may_race);
  if (status == CREBIND_OK) status = plan_and_commit(attempt, apply);
  status = crebind_dlsym_slots_end(attempt, status);
  attempt->is_done = status == CREBIND_OK;
  if (attempt->is_done && apply->companion != NULL) apply->companion(attempt, &apply->may_race);
  return status;
}

/// Frees a batch that could not be applied, or leaves it to the next calls, one of which frees it;
/// with our lock.
static void free_failed(const struct apply *apply) {
  if (apply->is_unrestored)
    crebind_handle_step(apply->handle, CREBIND_ORPHAN);
  else
    crebind_active_free(apply->handle);
}

struct crebind_handle *crebind_apply_own(struct crebind_attempt *attempt,
                                         const crebind_rebinding *rebindings, size_t count,
                                         const crebind_options *options, bool *may_race) {
  struct apply apply = {.companion = NULL};
  if (crebind_handle_make(&apply.handle, rebindings, NULL, count, options, true, true, NULL)
      != CREBIND_OK)
    return NULL;
  crebind_status status = plan_and_commit(attempt, &apply);
  *may_race |= apply.may_race;
  if (status == CREBIND_OK) return apply.handle;
  free_failed(&apply);
  return NULL;
}

// MARK: -

/// Redirects the definitions that were postponed. The resolvers of IFUNCs are asked once more:
/// their answers may not last.
static crebind_status redirect_locked(struct crebind_attempt *attempt, void *opaque) {
  struct crebind_handle *handle = opaque;
  crebind_status status = crebind_attempt_ask(attempt, handle);
  return status == CREBIND_OK
             ? crebind_redirect_postponed(handle, &attempt->world, &attempt->commit)
             : status;
}

static crebind_status do_nothing(struct crebind_attempt *attempt, void *unused) {
  (void)attempt, (void)unused;
  return CREBIND_OK;
}

/// Waits for threads that were under way, in a lazy resolver or in dlsym, and does what had to wait
/// for them. If a thread has not left, later calls do that work.
static void wait_for_others(struct apply *apply) {
  bool waits_for_all = apply->may_race || apply->was_asked;
  bool have_left = waits_for_all ? crebind_settle() : crebind_settle_waiting();
  // A resolver may store a function that it found before.
  if (apply->may_race) crebind_lazy_slots_note();
  bool redirects = apply->report.postponed != 0 && have_left;
  crebind_status status =
      crebind_attempt(redirects ? redirect_locked : do_nothing, apply->handle, NULL, NULL);
  if (redirects && status == CREBIND_OK)
    apply->report.postponed = 0;
  else if (apply->report.postponed != 0)
    crebind_postponed_leave(apply->handle);
  // The next batch waits for the threads that have not left, too.
  if (apply->was_asked && !have_left) crebind_dlsym_exchange_asked(true);
}

crebind_status crebind_apply_batch(const crebind_rebinding *rebindings,
                                   const struct crebind_exact_definition *exact, size_t count,
                                   const crebind_options *options,
                                   crebind_apply_companion *companion, crebind_handle **result,
                                   crebind_report *report, crebind_error *error) {
  struct apply apply = {.companion = companion};
  bool is_own = companion == NULL;
  if (count == 0) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  crebind_status status =
      crebind_handle_make(&apply.handle, rebindings, exact, count, options, true, is_own, error);
  if (status != CREBIND_OK) return status;
  status = crebind_attempt(apply_locked, &apply, apply.handle, error);
  if (status != CREBIND_OK) {
    crebind_lock();
    free_failed(&apply);
    crebind_unlock();
    return status;
  }
  if (apply.may_race || apply.report.postponed != 0) wait_for_others(&apply);
  *result = apply.handle;
  if (report != NULL) *report = apply.report;
  return status;
}
#endif
