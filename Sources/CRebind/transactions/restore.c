/// Restoring a batch.

#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/status.h"
#include "arrivals/unrestored.h"
#include "definitions/dlsym-answers.h"
#include "patching/lazy-slots.h"
#include "patching/settle.h"
#include "planning/originals.h"
#include "transactions/attempt.h"
#include "transactions/dlsym-slots.h"
#include "transactions/questions.h"
#include "transactions/transaction.h"

struct restore {
  struct crebind_handle *handle;
  crebind_report report;
  bool is_done;
  /// Somebody else's hook lies on this word, in this image; 0 for none.
  uintptr_t covered_address;
  uint32_t covered_image;
  /// Another thread is in the batch's predicate.
  bool is_asked;
};

// MARK: - Definitions

static bool is_definition(const struct crebind_entry *entry) {
  return entry->kind == CREBIND_DEFINITION;
}

/// True if a lazy resolver may find the replacement.
static bool is_found_lazily(const struct crebind_handle *handle) {
  bool has_definitions = false, has_lazy_slots = false;
  for (size_t i = 0; i < handle->entries.count; i++) {
    has_definitions |= is_definition(crebind_handle_entry(handle, i));
    has_lazy_slots |= crebind_handle_entry(handle, i)->is_lazy;
  }
  return has_definitions && has_lazy_slots;
}

/// The entry that was applied on top of this one next, or NULL.
static struct crebind_entry *next_above(const struct crebind_handle *handle,
                                        const struct crebind_entry *entry) {
  struct crebind_handle *owner;
  return crebind_find_above(handle, entry->image, entry->address, &owner);
}

/// True if a batch that stays was applied on top of the definition.
static bool has_staying_above(const struct crebind_handle *handle,
                              const struct crebind_entry *entry) {
  for (handle = handle->newer; handle != NULL; handle = handle->newer)
    if (!crebind_is_leaving(handle)
        && crebind_handle_find(handle, entry->image, entry->address) != NULL)
      return true;
  return false;
}

/// Leads the definitions to the originals, or back to the replacements.
static crebind_status turn_definitions(struct crebind_attempt *attempt,
                                       struct crebind_handle *handle, bool is_leaving) {
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (!is_definition(entry)) continue;
    uintptr_t below = crebind_word_below(handle, entry);
    uintptr_t from = is_leaving ? entry->value : below;
    uintptr_t to = is_leaving ? below : entry->value;
    uintptr_t word = crebind_load_word(entry->address);
    if (word != from || has_staying_above(handle, entry)) continue;
    if (!crebind_commit_add(&attempt->commit, entry, from, to, false, false))
      return CREBIND_OUT_OF_MEMORY;
  }
  crebind_status status = crebind_commit_run(&attempt->commit, &attempt->world);
  if (status == CREBIND_OK)
    crebind_handle_step(handle, is_leaving ? CREBIND_LEAVING : CREBIND_APPLIED);
  return status;
}

static crebind_status stay_locked(struct crebind_attempt *attempt, void *context) {
  return turn_definitions(attempt, ((struct restore *)context)->handle, false);
}

// MARK: - Slots

static void count_change(crebind_report *report, const struct crebind_entry *entry,
                         uint32_t *last_image) {
  report->changed++;
  report->images += entry->image != *last_image;
  *last_image = entry->image;
}

/// True if only wrappers of ours lie on top, and no hook: these lead on to what is behind the entry
/// from now on.
static bool is_below_ours_only(const struct crebind_handle *handle,
                               const struct crebind_entry *entry) {
  struct crebind_handle *owner = (struct crebind_handle *)handle;
  while (crebind_find_above(owner, entry->image, entry->address, &owner) != NULL)
    if (!owner->is_own) return false;
  return true;
}

/// Adds the entry's former word, and counts; false without memory.
static bool add_entry(struct crebind_attempt *attempt, struct restore *restore,
                      const struct crebind_entry *entry, uint32_t *last_image) {
  crebind_report *report = &restore->report;
  bool is_slot = !is_definition(entry);
  uintptr_t word = crebind_load_word(entry->address);
  const struct crebind_entry *top = crebind_find_top(entry->image, entry->address);
  if (top != entry) {
    if (!is_slot) return true;
    // Somebody else may also have stored between two batches, and may still lead to us.
    const struct crebind_entry *above = next_above(restore->handle, entry);
    bool is_covered = above != NULL && above->previous != entry->value;
    if (is_covered || (word != top->value && !top->is_left))
      report->skipped++;
    else if (is_below_ours_only(restore->handle, entry))
      count_change(report, entry, last_image);
    else
      report->unchanged++;
    return true;
  }
  if (word != entry->value) {
    report->skipped += is_slot && word != entry->previous;
    return true;
  }
  uintptr_t former = crebind_word_below(restore->handle, entry);
  if (former == entry->value) {
    report->unchanged += is_slot;
    return true;
  }
  if (!crebind_commit_add(&attempt->commit, entry, entry->value, former, false, false))
    return false;
  if (is_slot) count_change(report, entry, last_image);
  return true;
}

/// Summarizes the other batches again, with the loader's answers: their names may have put
/// questions once this batch was gone.
static crebind_status summarize_others(struct crebind_attempt *attempt) {
  crebind_status status = CREBIND_OK;
  for (struct crebind_handle *other = crebind_records.oldest;
       other != NULL && status == CREBIND_OK; other = other->newer)
    status = crebind_originals_update(other, &attempt->world);
  crebind_dlsym_publish(&attempt->world, NULL);
  return status;
}

/// Takes the batch out of the records, except words that somebody else's hook lies on.
static void take_out(struct crebind_attempt *attempt, struct restore *restore) {
  struct crebind_handle *handle = restore->handle;
  const struct crebind_entry *covered = crebind_unrestored_make(handle, &attempt->world);
  restore->covered_address = covered != NULL ? covered->address : 0;
  if (covered != NULL) {
    restore->covered_image = covered->image;
  } else {
    crebind_handle_unlink(handle);
    crebind_originals_inherit(handle);
  }
  for (struct crebind_handle *other = handle->newer; other != NULL; other = other->newer)
    crebind_originals_update(other, &attempt->world);
  // If this fails, the table still knows of the batch, and an image stays covered. That does no
  // harm.
  bool unused = false;
  crebind_vector_truncate(&attempt->commit.changes, 0);
  crebind_dlsym_slots_end(attempt, crebind_dlsym_slots_begin(attempt, NULL, &unused));
  crebind_dlsym_publish(&attempt->world, NULL);
  restore->is_done = true;
}

/// Says what is left of the batch.
static crebind_status end_status(struct crebind_attempt *attempt, const struct restore *restore) {
  if (restore->covered_address == 0) return CREBIND_OK;
  attempt->commit.failed_image = crebind_known_image_at(restore->covered_image)->index;
  attempt->commit.failure = (struct crebind_patch_failure){.address = restore->covered_address};
  return CREBIND_COVERED;
}

static crebind_status restore_locked(struct crebind_attempt *attempt, void *context) {
  struct restore *restore = context;
  struct crebind_handle *handle = restore->handle;
  if (restore->is_done) {
    crebind_status status = summarize_others(attempt);
    return status == CREBIND_OK ? end_status(attempt, restore) : status;
  }
  // The batch's predicate may be running, and the caller may be about to free data that it uses.
  restore->is_asked = crebind_questions_are_elsewhere(handle);
  if (restore->is_asked) return CREBIND_BUSY;
  // A resolver that has found the replacement stores it soon. So the definitions are turned back
  // first. Then the call waits for resolvers that are under way. No other resolver can find the
  // replacement before the slots are restored.
  if (!crebind_is_leaving(handle) && is_found_lazily(handle))
    return turn_definitions(attempt, handle, true);
  if (crebind_unrestored_may_be_bound(handle)) return CREBIND_OK;
  memset(&restore->report, 0, sizeof restore->report);
  uint32_t last_image = UINT32_MAX;
  for (size_t i = 0; i < handle->entries.count; i++)
    if (!add_entry(attempt, restore, crebind_handle_entry(handle, i), &last_image))
      return CREBIND_OUT_OF_MEMORY;
  crebind_status status = crebind_originals_ask(handle, &attempt->world);
  if (status == CREBIND_OK && !crebind_attempt_is_sure(attempt)) status = CREBIND_BUSY;
  if (status == CREBIND_OK) status = crebind_commit_run(&attempt->commit, &attempt->world);
  if (status != CREBIND_OK) return status;
  take_out(attempt, restore);
  return end_status(attempt, restore);
}

crebind_status crebind_restore_batch(crebind_handle *handle, crebind_report *report,
                                     crebind_error *error) {
  struct restore restore = {.handle = handle};
  crebind_status status = crebind_attempt(restore_locked, &restore, NULL, error);
  if (status == CREBIND_OK && !restore.is_done) {
    if (!crebind_settle()) crebind_lazy_slots_note();
    status = crebind_attempt(restore_locked, &restore, NULL, error);
    if (!restore.is_done && !crebind_is_unrestored(handle))
      crebind_attempt(stay_locked, &restore, NULL, NULL);
  }
  // Meanwhile, a definition of the unrestored batch was led here again.
  if (status == CREBIND_OK && !restore.is_done) status = crebind_fail(error, CREBIND_COVERED, -1);
  // A batch that has been taken out cannot be restored again.
  if (restore.is_done && restore.covered_address == 0) status = CREBIND_OK;
  if (restore.is_done && restore.covered_address != 0 && status != CREBIND_COVERED)
    status = crebind_fail(error, CREBIND_COVERED, -1);
  if (status == CREBIND_BUSY && restore.is_asked)
    status = crebind_fail(error, CREBIND_PREDICATE_RUNS, -1);
  if (status == CREBIND_OK) crebind_active_free(handle);
  if (report != NULL) *report = restore.report;
  return status;
}
#endif
