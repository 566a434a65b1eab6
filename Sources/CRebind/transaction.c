/// Applying, verifying and restoring batches.

#define _GNU_SOURCE
#include "attempt.h"
#include "notice.h"
#include "pin.h"
#include "settle.h"

#include <errno.h>

// MARK: - Apply

/// Gives the rebindings without an entry what the program itself would be bound
/// to, and counts those that nothing defines.
static crebind_status publish_unused(struct crebind_world *world, struct crebind_batch *batch,
                                     crebind_report *report) {
  for (size_t i = 0; i < batch->items.count; i++) {
    struct crebind_item *item = crebind_batch_item(batch, i);
    if (item->summary_address != 0) continue;
    uintptr_t function;
    size_t definer;
    crebind_status status = crebind_world_resolve(world, 0, &item->name, item->version,
                                                  item->version == NULL, &function, &definer);
    if (status != CREBIND_OK) return status;
    if (function == 0)
      report->pending++;
    else if (item->original != NULL)
      __atomic_store_n(item->original, (void *)function, __ATOMIC_RELEASE);
  }
  return CREBIND_OK;
}

/// Counts the rebindings whose slots have different originals.
static size_t count_ambiguous(const struct crebind_handle *handle) {
  size_t count = 0;
  for (size_t i = 0; i < handle->entries.count; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(handle, i);
    struct crebind_item *item = crebind_batch_item(&handle->batch, entry->item);
    if (entry->kind == CREBIND_DEFINITION || entry->original == item->summary_original
        || item->is_ambiguous)
      continue;
    item->is_ambiguous = true;
    count++;
  }
  return count;
}

struct apply {
  struct crebind_handle *handle;
  struct crebind_vector formers;  // void *: what the callers' originals were
  struct crebind_pins pins;
  crebind_report report;
  bool has_lazy_slots;
};

static void save_or_put_back_originals(struct apply *apply, bool puts_back) {
  void **formers = (void **)apply->formers.data;
  for (size_t i = 0; i < apply->handle->batch.items.count; i++) {
    const struct crebind_item *item = crebind_batch_item(&apply->handle->batch, i);
    if (item->original == NULL) continue;
    if (puts_back)
      __atomic_store_n(item->original, formers[i], __ATOMIC_RELEASE);
    else
      formers[i] = __atomic_load_n(item->original, __ATOMIC_ACQUIRE);
  }
}

static crebind_status store_entries(struct crebind_attempt *attempt, struct apply *apply) {
  struct crebind_handle *handle = apply->handle;
  crebind_report *report = &apply->report;
  uint32_t last_image = UINT32_MAX;
  for (size_t i = 0; i < handle->entries.count; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(handle, i);
    if (entry->is_left) {
      report->skipped++;
      continue;
    }
    if (!crebind_commit_add(&attempt->commit, entry, entry->previous, entry->value, true))
      return CREBIND_OUT_OF_MEMORY;
    apply->has_lazy_slots |= entry->is_lazy;
    if (entry->kind == CREBIND_DEFINITION) continue;
    report->changed++;
    report->images += entry->image != last_image;
    last_image = entry->image;
  }
  return crebind_commit_run(&attempt->commit, &attempt->world);
}

static crebind_status apply_locked(struct crebind_attempt *attempt, void *context) {
  struct apply *apply = context;
  struct crebind_handle *handle = apply->handle;
  memset(&apply->report, 0, sizeof apply->report);
  struct crebind_plan plan;
  crebind_plan_begin(&plan, &attempt->world, &handle->batch);
  crebind_status status = crebind_attempt_plan(attempt, &plan, handle);
  apply->report.unchanged = plan.unchanged;
  apply->report.skipped = plan.skipped;
  if (status == CREBIND_OK) {
    handle->entries = plan.entries;
    plan.entries = CREBIND_VECTOR(struct crebind_entry);
    save_or_put_back_originals(apply, false);
    if (!crebind_handle_index(handle)) status = CREBIND_OUT_OF_MEMORY;
    crebind_handle_summarize(handle);
    if (status == CREBIND_OK)
      status = publish_unused(&attempt->world, &handle->batch, &apply->report);
    apply->report.ambiguous = count_ambiguous(handle);
    if (status == CREBIND_OK && !crebind_attempt_is_sure(attempt)) status = CREBIND_BUSY;
    if (status == CREBIND_OK)
      status = crebind_pins_collect(&apply->pins, &attempt->world, &handle->batch);
    if (status == CREBIND_OK) status = store_entries(attempt, apply);
    if (status == CREBIND_OK) {
      crebind_handle_link(handle);
    } else {
      save_or_put_back_originals(apply, true);
      plan.entries = handle->entries;  // frees their resolvers
      handle->entries = CREBIND_VECTOR(struct crebind_entry);
      for (size_t i = 0; i < handle->batch.items.count; i++)
        crebind_batch_item(&handle->batch, i)->summary_address = 0;
    }
  }
  crebind_plan_end(&plan);
  return status;
}

// MARK: - Verify

struct verify {
  struct crebind_handle *handle;
  crebind_report report;
};

static crebind_status verify_locked(struct crebind_attempt *attempt, void *context) {
  struct verify *verify = context;
  struct crebind_handle *handle = verify->handle, *owner;
  memset(&verify->report, 0, sizeof verify->report);
  uint32_t last_image = UINT32_MAX;
  for (size_t i = 0; i < handle->entries.count; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(handle, i);
    uintptr_t word = __atomic_load_n((const uintptr_t *)entry->address, __ATOMIC_ACQUIRE);
    if (word == entry->value
        || crebind_find_above(handle, entry->image, entry->address, &owner) != NULL) {
      verify->report.unchanged++;
      continue;
    }
    // Only the loader stores what the slot would hold without us.
    if (entry->is_left || (word != entry->previous && word != entry->original)) {
      verify->report.skipped++;
      continue;
    }
    if (!crebind_commit_add(&attempt->commit, entry, word, entry->value, false))
      return CREBIND_OUT_OF_MEMORY;
    verify->report.changed++;
    verify->report.images += entry->image != last_image;
    last_image = entry->image;
  }
  return crebind_commit_run(&attempt->commit, &attempt->world);
}

crebind_status crebind_verify(crebind_handle *handle, crebind_report *report,
                              crebind_error *error) {
  int saved_errno = errno;
  struct verify verify = {.handle = handle};
  crebind_status status = crebind_attempt(verify_locked, &verify, NULL, error);
  if (report != NULL) *report = verify.report;
  errno = saved_errno;
  return status;
}

crebind_status crebind_apply(const crebind_rebinding *rebindings, size_t count,
                             const crebind_options *options, crebind_handle **result,
                             crebind_report *report, crebind_error *error) {
  int saved_errno = errno;
  struct apply apply = {.formers = CREBIND_VECTOR(void *)};
  crebind_pins_begin(&apply.pins);
  crebind_status status =
      crebind_handle_make(&apply.handle, rebindings, count, options, true, error);
  if (status != CREBIND_OK) return status;
  if (crebind_vector_append(&apply.formers, count) == NULL)
    status = crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  if (status == CREBIND_OK) status = crebind_attempt(apply_locked, &apply, apply.handle, error);
  if (status == CREBIND_OK) {
    crebind_pins_hold(&apply.pins);
    // A resolver that was under way may overtake us with what it found before.
    if (apply.has_lazy_slots && crebind_settle()) {
      struct verify verify = {.handle = apply.handle};
      crebind_attempt(verify_locked, &verify, NULL, NULL);
    }
    if (crebind_batch_serves_later_images(&apply.handle->batch)
        && (apply.report.pending != 0
            || !crebind_batch_redirects_definitions(&apply.handle->batch))) {
      apply.handle->needs_notice = true;
      crebind_notice_install();
    }
    *result = apply.handle;
    if (report != NULL) *report = apply.report;
  } else {
    crebind_handle_free(apply.handle);
  }
  crebind_pins_end(&apply.pins);
  crebind_vector_free(&apply.formers);
  errno = saved_errno;
  return status;
}

// MARK: - Restore

struct restore {
  struct crebind_handle *handle;
  crebind_report report;
};

/// Where a batch has been applied on top of the entry, that one's is the slot,
/// and it inherits what lies below.
static bool relink(struct crebind_handle *handle, const struct crebind_entry *entry) {
  struct crebind_handle *owner;
  struct crebind_entry *above =
      crebind_find_above(handle, entry->image, entry->address, &owner);
  if (above == NULL || above->previous != entry->value) return false;
  above->previous = entry->previous;
  above->original = entry->original;
  return true;
}

static crebind_status restore_locked(struct crebind_attempt *attempt, void *context) {
  struct restore *restore = context;
  struct crebind_handle *handle = restore->handle, *owner;
  crebind_report *report = &restore->report;
  memset(report, 0, sizeof *report);
  uint32_t last_image = UINT32_MAX;
  for (size_t i = 0; i < handle->entries.count; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(handle, i);
    bool is_slot = entry->kind != CREBIND_DEFINITION;
    uintptr_t word = __atomic_load_n((const uintptr_t *)entry->address, __ATOMIC_ACQUIRE);
    if (crebind_find_above(handle, entry->image, entry->address, &owner) != NULL) continue;
    if (word != entry->value) {
      report->skipped += is_slot && word != entry->previous;
      continue;
    }
    if (!crebind_commit_add(&attempt->commit, entry, entry->value, entry->previous, false))
      return CREBIND_OUT_OF_MEMORY;
    if (!is_slot) continue;
    report->changed++;
    report->images += entry->image != last_image;
    last_image = entry->image;
  }
  crebind_status status = crebind_commit_run(&attempt->commit, &attempt->world);
  if (status != CREBIND_OK) return status;

  for (size_t i = 0; i < handle->entries.count; i++)
    relink(handle, crebind_handle_entry(handle, i));
  crebind_handle_unlink(handle);
  for (struct crebind_handle *other = handle->newer; other != NULL; other = other->newer)
    crebind_handle_summarize(other);
  return CREBIND_OK;
}

crebind_status crebind_restore(crebind_handle *handle, crebind_report *report,
                               crebind_error *error) {
  int saved_errno = errno;
  struct restore restore = {.handle = handle};
  crebind_status status = crebind_attempt(restore_locked, &restore, NULL, error);
  if (status == CREBIND_OK) {
    bool needed_notice = handle->needs_notice;
    crebind_handle_free(handle);
    if (needed_notice) crebind_notice_remove();
  }
  if (report != NULL) *report = restore.report;
  errno = saved_errno;
  return status;
}
