#if defined(__linux__)
#define _GNU_SOURCE
#include "patching/lazy-slots.h"
#include "runtime/lock.h"
#include "patching/settle.h"

/// Guarded by the lock.
static bool is_noted;

void crebind_lazy_slots_note(void) {
  crebind_lock();
  is_noted = true;
  crebind_unlock();
}

bool crebind_is_of_resolver(const struct crebind_entry *top, uintptr_t word) {
  for CREBIND_EACH_BATCH(handle) {
    const struct crebind_entry *entry = crebind_handle_find(handle, top->image, top->address);
    if (entry != NULL
        && (word == entry->previous || word == entry->original || word == entry->value))
      return true;
  }
  return false;
}

/// False without memory.
static bool add_changes(struct crebind_commit *commit, const struct crebind_handle *handle) {
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (!entry->is_lazy || crebind_find_lowest(entry) != entry) continue;
    const struct crebind_entry *top = crebind_find_top(entry->image, entry->address);
    uintptr_t word = crebind_load_word(entry->address);
    if (word != top->value && !top->is_left && crebind_is_of_resolver(top, word)
        && !crebind_commit_add(commit, top, word, top->value, false, false))
      return false;
  }
  return true;
}

crebind_status crebind_lazy_slots_store_again(struct crebind_world *world,
                                              struct crebind_commit *commit) {
  if (!is_noted) return CREBIND_OK;
  // This is asked first, so that a word that a thread stores before it leaves is compared
  // afterwards.
  bool have_left = crebind_settle_is_over();
  crebind_status status = CREBIND_OK;
  for (struct crebind_handle *handle = crebind_records.oldest;
       handle != NULL && status == CREBIND_OK; handle = handle->newer)
    if (!crebind_is_unrestored(handle) && !add_changes(commit, handle))
      status = CREBIND_OUT_OF_MEMORY;
  if (status == CREBIND_OK) status = crebind_commit_run(commit, world);
  crebind_vector_truncate(&commit->changes, 0);
  if (status != CREBIND_OK && !crebind_is_refusal(status)) return status;
  is_noted = !have_left;
  return CREBIND_OK;
}
#endif
