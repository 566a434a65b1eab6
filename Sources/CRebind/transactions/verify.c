/// Looking whether an active batch is still in place.

#if defined(__linux__)
#define _GNU_SOURCE
#include "patching/lazy-slots.h"
#include "transactions/attempt.h"
#include "transactions/transaction.h"

struct verify {
  struct crebind_handle *handle;
  crebind_report report;
};

/// Looks at the slots of our topmost batch, which no report counts; false without memory.
static bool verify_topmost(struct crebind_attempt *attempt) {
  const struct crebind_handle *topmost = crebind_records.topmost;
  for (size_t i = 0; topmost != NULL && i < topmost->entries.count; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(topmost, i);
    uintptr_t word = crebind_load_word(entry->address);
    if (word != entry->value && !entry->is_left && crebind_is_of_resolver(entry, word)
        && !crebind_commit_add(&attempt->commit, entry, word, entry->value, false, false))
      return false;
  }
  return true;
}

static crebind_status verify_locked(struct crebind_attempt *attempt, void *context) {
  struct verify *verify = context;
  struct crebind_handle *handle = verify->handle;
  crebind_report *report = &verify->report;
  memset(report, 0, sizeof *report);
  uint32_t last_image = UINT32_MAX;
  for CREBIND_EACH_ENTRY(entry, handle) {
    bool is_slot = entry->kind != CREBIND_DEFINITION;
    // The slot leads to us through the batches above.
    const struct crebind_entry *top = crebind_find_top(entry->image, entry->address);
    uintptr_t word = crebind_load_word(entry->address);
    if (!crebind_is_unrestored(handle) && (top == NULL || word == top->value)) {
      report->unchanged += is_slot;
      continue;
    }
    if (crebind_is_unrestored(handle) || top->is_left || !crebind_is_of_resolver(top, word)) {
      report->skipped += is_slot;
      continue;
    }
    if (!crebind_commit_add(&attempt->commit, top, word, top->value, false, false))
      return CREBIND_OUT_OF_MEMORY;
    if (!is_slot) continue;
    report->changed++;
    report->images += entry->image != last_image;
    last_image = entry->image;
  }
  if (!verify_topmost(attempt)) return CREBIND_OUT_OF_MEMORY;
  return crebind_commit_run(&attempt->commit, &attempt->world);
}

crebind_status crebind_verify_batch(crebind_handle *handle, crebind_report *report,
                                    crebind_error *error) {
  struct verify verify = {.handle = handle};
  crebind_status status = crebind_attempt(verify_locked, &verify, NULL, error);
  if (report != NULL) *report = verify.report;
  return status;
}
#endif
