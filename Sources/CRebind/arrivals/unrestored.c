#if defined(__linux__)
#define _GNU_SOURCE
#include "arrivals/unrestored.h"
#include "definitions/dlsym-answers.h"
#include "arrivals/new-images.h"
#include "planning/originals.h"

static bool is_definition(const struct crebind_entry *entry) {
  return entry->kind == CREBIND_DEFINITION;
}

uintptr_t crebind_word_below(const struct crebind_handle *handle,
                             const struct crebind_entry *entry) {
  uintptr_t word = entry->previous;
  struct crebind_handle *owner;
  if (!is_definition(entry)) return word;
  // This batch does not lead to one that was already being restored when this one was applied.
  while ((entry = crebind_find_below(handle, entry->image, entry->address, &owner)) != NULL
         && crebind_is_leaving(owner)) {
    if (word == entry->value) word = entry->previous;
    handle = owner;
  }
  return word;
}

// MARK: - Words

/// True if somebody else has stored on top of the entry, or between it and a batch on top.
static bool is_covered(const struct crebind_handle *handle, const struct crebind_entry *entry) {
  struct crebind_handle *owner;
  const struct crebind_entry *above =
      crebind_find_above(handle, entry->image, entry->address, &owner);
  uintptr_t word = above != NULL ? above->previous : crebind_load_word(entry->address);
  if (above != NULL && word == entry->value) return false;
  // Or the word was given back before the batch on top was applied.
  if (word == entry->previous || word == crebind_word_below(handle, entry)) return false;
  // A lazy resolver stores this word.
  uintptr_t replacement = crebind_batch_item(&handle->batch, entry->item)->replacement;
  return is_definition(entry) || word != entry->original + (entry->value - replacement);
}

/// True if the program may assign the word.
static bool is_assignable(const struct crebind_entry *entry, const struct crebind_world *world) {
  if (entry->kind != CREBIND_ABSOLUTE) return false;
  const struct crebind_image *image =
      crebind_world_image(world, crebind_known_image_at(entry->image)->index);
  return entry->address < image->relro.start || entry->address >= image->relro.end;
}

/// The entry that was applied on top of this one inherits what is below this one. For a definition,
/// so do all entries that lead to it: an entry that was applied while other batches were being
/// restored bypasses those.
static void relink(const struct crebind_handle *handle, const struct crebind_entry *entry) {
  struct crebind_handle *owner = (struct crebind_handle *)handle;
  struct crebind_entry *above;
  while ((above = crebind_find_above(owner, entry->image, entry->address, &owner)) != NULL) {
    if (is_definition(entry) && above->previous != entry->value) continue;
    crebind_entry_lead(above, entry->previous, entry->original);
    crebind_entry_inherit_lazy(above, entry);
    if (!is_definition(entry)) return;
  }
}

const struct crebind_entry *crebind_unrestored_make(struct crebind_handle *handle,
                                                    const struct crebind_world *world) {
  bool is_unrestored = false;
  for CREBIND_EACH_ENTRY(entry, handle) {
    bool is_dropped = !is_covered(handle, entry);
    crebind_entry_drop_if(entry, is_dropped);
    if (is_dropped)
      relink(handle, entry);
    else
      is_unrestored |= !is_assignable(entry, world);
  }
  crebind_handle_drop(handle);
  if (is_unrestored && !crebind_is_unrestored(handle))
    crebind_handle_step(handle, CREBIND_UNRESTORED);
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (is_unrestored && !is_assignable(entry, world)) return entry;
  }
  return NULL;
}

/// True if the entry's word could not be taken back.
static bool is_stuck(const struct crebind_commit *commit, const struct crebind_entry *entry) {
  const struct crebind_change *change = crebind_commit_find(commit, entry->address);
  // It may be the change of a batch on top.
  return change != NULL && change->is_stuck && change->to == entry->value;
}

bool crebind_unrestored_keep(struct crebind_handle *handle, const struct crebind_commit *commit) {
  if (commit->stuck == 0) return false;
  bool is_unrestored = false;
  for CREBIND_EACH_ENTRY(entry, handle) {
    bool stays = is_stuck(commit, entry);
    crebind_entry_drop_if(entry, !stays);
    is_unrestored |= stays;
    if (stays && is_definition(entry)) crebind_note_may_be_bound(handle, true);
  }
  if (!is_unrestored) return false;
  crebind_handle_drop(handle);
  crebind_handle_step(handle, CREBIND_UNRESTORED);
  crebind_handle_link(handle);
  return true;
}

bool crebind_unrestored_may_be_bound(const struct crebind_handle *handle) {
  return crebind_is_unrestored(handle) && crebind_active_of(handle)->may_be_bound;
}

// MARK: - Giving back

/// True if a definition leads to the batch again.
static bool leads_here(const struct crebind_handle *handle) {
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (is_definition(entry) && crebind_load_word(entry->address) == entry->value) return true;
  }
  return false;
}

/// Adds the slots that have been bound to the batch since.
static crebind_status find_bound(struct crebind_world *world, struct crebind_handle *handle) {
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++)
    status = crebind_new_images_plan(world, handle, i);
  for CREBIND_EACH_ENTRY(entry, handle)
    crebind_entry_step(entry, CREBIND_STORED);
  return status == CREBIND_OK && !crebind_scopes_are_sure(&world->scopes) ? CREBIND_BUSY : status;
}

static bool add_changes(struct crebind_commit *commit, const struct crebind_handle *handle) {
  for CREBIND_EACH_ENTRY(entry, handle) {
    struct crebind_handle *owner;
    uintptr_t former = crebind_word_below(handle, entry);
    if (crebind_load_word(entry->address) != entry->value || former == entry->value
        || crebind_find_above(handle, entry->image, entry->address, &owner) != NULL)
      continue;
    if (!crebind_commit_add(commit, entry, entry->value, former, false, false)) return false;
  }
  return true;
}

static crebind_status give_back(struct crebind_world *world, struct crebind_handle *handle,
                                struct crebind_commit *commit) {
  bool turns_back = leads_here(handle);
  crebind_status status = CREBIND_OK;
  if (turns_back || crebind_active_of(handle)->may_be_bound) status = find_bound(world, handle);
  if (status == CREBIND_OK && !add_changes(commit, handle)) status = CREBIND_OUT_OF_MEMORY;
  if (status == CREBIND_OK) status = crebind_commit_run(commit, world);
  crebind_vector_truncate(&commit->changes, 0);
  if (status != CREBIND_OK) return crebind_is_refusal(status) ? CREBIND_OK : status;
  crebind_note_may_be_bound(handle, turns_back);
  crebind_unrestored_make(handle, world);
  return CREBIND_OK;
}

/// Frees a batch that nobody has, once all its words are given back.
static void free_orphan(struct crebind_world *world, struct crebind_handle *handle) {
  if (handle->state != CREBIND_ORPHAN || handle->entries.count != 0
      || crebind_unrestored_may_be_bound(handle))
    return;
  // Otherwise it is freed at the next attempt, when the loader has answered.
  if (crebind_originals_ask(handle, world) != CREBIND_OK
      || !crebind_scopes_are_sure(&world->scopes))
    return;
  crebind_handle_unlink(handle);
  crebind_originals_inherit(handle);
  for (struct crebind_handle *other = handle->newer; other != NULL; other = other->newer)
    crebind_originals_update(other, world);
  crebind_dlsym_publish(world, NULL);
  // The memo uses the batch's names, which are freed with the batch.
  crebind_world_forget_answers(world);
  crebind_active_free(handle);
}

crebind_status crebind_unrestored_give_back(struct crebind_world *world,
                                            struct crebind_commit *commit) {
  crebind_status status = CREBIND_OK;
  for (struct crebind_handle *handle = crebind_records.oldest, *newer;
       handle != NULL && status == CREBIND_OK; handle = newer) {
    newer = handle->newer;
    if (!crebind_is_unrestored(handle)) continue;
    status = give_back(world, handle, commit);
    if (status == CREBIND_OK) free_orphan(world, handle);
  }
  return status;
}
#endif
