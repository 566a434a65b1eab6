#if defined(__linux__)
#define _GNU_SOURCE
#include "definitions/due-entries.h"
#include "planning/originals.h"

bool crebind_take_entries(struct crebind_handle *handle, uint32_t known,
                         struct crebind_plan *plan) {
  if (plan->entries.count == 0) return true;
  struct crebind_run run = crebind_handle_run(handle, known);
  size_t planned = plan->entries.count, total = handle->entries.count + planned;
  if (crebind_vector_append(&handle->entries, planned) == NULL) return false;
  size_t at = run.count == 0 ? total - planned : run.first + run.count;
  for (size_t i = total; i-- > at + planned;)
    *crebind_handle_entry(handle, i) = *crebind_handle_entry(handle, i - planned);
  memcpy(crebind_handle_entry(handle, at), plan->entries.data,
         planned * sizeof(struct crebind_entry));
  for (size_t i = at; i < at + planned; i++)
    crebind_entry_step(crebind_handle_entry(handle, i), CREBIND_DUE);
  crebind_vector_truncate(&plan->entries, 0);
  return crebind_handle_index(handle);
}

/// True if a batch lies on top of the entry. A batch that is being restored has given a
/// definition's word back already.
static bool is_below(const struct crebind_handle *handle, const struct crebind_entry *entry) {
  struct crebind_handle *owner = (struct crebind_handle *)handle;
  while (crebind_find_above(owner, entry->image, entry->address, &owner) != NULL)
    if (entry->kind != CREBIND_DEFINITION || !crebind_is_leaving(owner)) return true;
  return false;
}

bool crebind_add_due_changes(struct crebind_commit *commit, uint32_t known) {
  for (struct crebind_handle *handle = crebind_records.newest; handle != NULL;
       handle = handle->older) {
    struct crebind_run run = crebind_handle_run(handle, known);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
      const struct crebind_entry *entry = crebind_handle_entry(handle, i);
      if (entry->state != CREBIND_DUE) continue;
      crebind_originals_offer(handle, entry);
      uintptr_t word = crebind_load_word(entry->address);
      if (word == entry->value || entry->is_left || is_below(handle, entry)) continue;
      bool is_optional = entry->kind == CREBIND_DEFINITION;
      if (!crebind_commit_add(commit, entry, word, entry->value, true, is_optional)) return false;
    }
  }
  return true;
}

/// Makes the next entry above lead to this entry. It may have been stored earlier, while a
/// predicate was being asked or definitions were postponed. If that entry is a definition's and its
/// batch is being restored, the one above it leads here, too.
static void lead_here(const struct crebind_handle *handle, const struct crebind_entry *entry) {
  uintptr_t replacement = crebind_batch_item(&handle->batch, entry->item)->replacement;
  struct crebind_handle *owner = (struct crebind_handle *)handle;
  struct crebind_entry *above;
  while ((above = crebind_find_above(owner, entry->image, entry->address, &owner)) != NULL) {
    bool is_same = crebind_batch_item(&owner->batch, above->item)->replacement == replacement;
    crebind_entry_lead(above, entry->value, is_same ? entry->original : replacement);
    if (entry->kind != CREBIND_DEFINITION || !crebind_is_leaving(owner)) return;
  }
}

void crebind_keep_stored(uint32_t known, const struct crebind_commit *commit,
                        crebind_status status) {
  for CREBIND_EACH_BATCH(handle) {
    struct crebind_run run = crebind_handle_run(handle, known);
    bool drops = false;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
      struct crebind_entry *entry = crebind_handle_entry(handle, i);
      if (entry->state != CREBIND_DUE) continue;
      const struct crebind_change *change = commit->refused != 0 || commit->stuck != 0
                                                ? crebind_commit_find(commit, entry->address)
                                                : NULL;
      bool was_refused = change != NULL && change->is_refused;
      crebind_need_notice(handle, was_refused);
      // A word that could not be taken back needs its chain.
      bool is_dropped =
          was_refused || (status != CREBIND_OK && (change == NULL || !change->is_stuck));
      crebind_entry_step(entry, is_dropped ? CREBIND_DROPPED : CREBIND_STORED);
      drops |= is_dropped;
      if (!is_dropped) lead_here(handle, entry);
    }
    if (drops) crebind_handle_drop(handle);
  }
}
#endif
