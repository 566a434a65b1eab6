#define _GNU_SOURCE
#include "transactions/cover.h"
#include "storing/next.h"

#include <errno.h>

// MARK: - Which images

static bool is_redirecting(const struct crebind_handle *handle) {
  return !handle->is_own && crebind_batch_redirects_definitions(&handle->batch);
}

static void want_images_of(const struct crebind_world *world,
                           const struct crebind_handle *handle) {
  if (handle->is_own || handle->batch.options.excludes_self) return;
  const struct crebind_image *last = NULL;
  for (size_t i = 0; i < handle->batch.items.count; i++) {
    uintptr_t replacement = crebind_batch_item(&handle->batch, i)->replacement;
    if (last != NULL && crebind_image_segment(last, replacement, 1) != NULL) continue;
    size_t index = crebind_world_image_with(world, replacement);
    if (index == SIZE_MAX) continue;
    last = crebind_world_image(world, index);
    crebind_known_image_at(crebind_world_known(world, index))->is_wanted = true;
  }
}

/// False if the batch is content to leave the image as it is, for being sealed.
static bool must_cover(const struct crebind_world *world, size_t index,
                       const struct crebind_handle *new_handle) {
  if (new_handle == NULL || new_handle->batch.options.skips_sealed_images) return false;
  for (size_t i = 0; i < new_handle->batch.items.count; i++)
    if (crebind_image_segment(crebind_world_image(world, index),
                              crebind_batch_item(&new_handle->batch, i)->replacement, 1)
        != NULL)
      return true;
  return false;
}

static void want_images(const struct crebind_world *world,
                        const struct crebind_handle *new_handle) {
  for (size_t i = 0; i < crebind_records.known.count; i++)
    crebind_known_image_at(i)->is_wanted = false;
  bool any_redirects = new_handle != NULL && is_redirecting(new_handle);
  const struct crebind_handle *handle;
  for (handle = crebind_records.oldest; handle != NULL && !any_redirects; handle = handle->newer)
    any_redirects = is_redirecting(handle);
  if (!any_redirects) return;
  for (handle = crebind_records.oldest; handle != NULL; handle = handle->newer)
    want_images_of(world, handle);
  if (new_handle != NULL) want_images_of(world, new_handle);
}

// MARK: - The batch

static crebind_status make_topmost(void) {
  const crebind_rebinding rebindings[] = {
      {.name = "dlsym", .replacement = (void *)crebind_next_entry(false)},
      {.name = "dlvsym", .replacement = (void *)crebind_next_entry(true)},
  };
  // Images are covered one by one, and keep their definitions.
  const crebind_options options = {.loaded_images_only = true};
  struct crebind_handle *handle;
  crebind_status status = crebind_handle_make(&handle, rebindings, 2, &options, true, NULL);
  if (status != CREBIND_OK) return status;
  handle->is_own = true;
  crebind_handle_link(handle);
  crebind_records.topmost = handle;
  return CREBIND_OK;
}

static void free_topmost_if_empty(void) {
  struct crebind_handle *topmost = crebind_records.topmost;
  if (topmost == NULL || topmost->entries.count != 0) return;
  for (size_t i = 0; i < crebind_records.known.count; i++)
    if (crebind_known_image_at(i)->is_covered) return;
  crebind_records.topmost = NULL;
  crebind_handle_unlink(topmost);
  crebind_handle_free(topmost);
}

static void drop_from(size_t first) {
  struct crebind_handle *topmost = crebind_records.topmost;
  for (size_t i = first; i < topmost->entries.count; i++)
    crebind_handle_entry(topmost, i)->is_dropped = true;
  crebind_handle_drop(topmost);
}

/// Stores the entries from `first` on; on failure they are dropped.
static crebind_status store_from(struct crebind_attempt *attempt, size_t first,
                                 bool *has_lazy_slots) {
  struct crebind_handle *topmost = crebind_records.topmost;
  struct crebind_commit *commit = &attempt->commit;
  crebind_status status = crebind_handle_index(topmost) ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
  // The table has to know a caller before its slot leads here.
  if (status == CREBIND_OK && !crebind_next_publish(&attempt->world, NULL))
    status = CREBIND_OUT_OF_MEMORY;
  for (size_t i = first; i < topmost->entries.count && status == CREBIND_OK; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(topmost, i);
    uintptr_t word = crebind_load_word(entry->address);
    *has_lazy_slots |= entry->is_lazy;
    if (!crebind_commit_add(commit, entry, word, entry->value, true, false))
      status = CREBIND_OUT_OF_MEMORY;
  }
  if (status == CREBIND_OK) status = crebind_commit_run(commit, &attempt->world);
  commit->changes.count = 0;
  if (status != CREBIND_OK) drop_from(first);
  return status;
}

static crebind_status cover(struct crebind_attempt *attempt, size_t index,
                            bool *has_lazy_slots) {
  crebind_status status =
      crebind_records.topmost != NULL ? CREBIND_OK : make_topmost();
  if (status != CREBIND_OK) return status;
  struct crebind_handle *topmost = crebind_records.topmost;
  struct crebind_plan plan;
  crebind_plan_begin(&plan, &attempt->world, &topmost->batch);
  plan.late_handle = topmost;
  status = crebind_plan_add_image(&plan, index, true);
  if (status == CREBIND_OK && !crebind_attempt_is_sure(attempt)) status = CREBIND_BUSY;
  size_t first = topmost->entries.count, count = plan.entries.count;
  if (status == CREBIND_OK && count != 0) {
    struct crebind_entry *entries = crebind_vector_append(&topmost->entries, count);
    if (entries != NULL) {
      memcpy(entries, plan.entries.data, count * sizeof *entries);
      status = store_from(attempt, first, has_lazy_slots);
    } else {
      status = CREBIND_OUT_OF_MEMORY;
    }
  }
  crebind_plan_end(&plan);
  // A broken table has no slots to cover.
  if (status == CREBIND_BROKEN_IMAGE) status = CREBIND_OK;
  if (crebind_is_refusal(status)) attempt->commit.failed_image = index;
  return status;
}

/// Puts back what the slots of an image held. Where their pages cannot be opened, it stays
/// covered.
static crebind_status uncover(struct crebind_attempt *attempt, size_t known) {
  struct crebind_handle *topmost = crebind_records.topmost;
  struct crebind_commit *commit = &attempt->commit;
  struct crebind_run run = crebind_handle_run(topmost, known);
  bool has_memory = true;
  for (uint32_t i = run.first; i < run.first + run.count && has_memory; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(topmost, i);
    has_memory = crebind_commit_add(commit, entry, entry->previous, entry->value, false, false);
  }
  crebind_status status = has_memory ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
  if (has_memory && run.count != 0)
    status = crebind_patch_image(&attempt->world, (struct crebind_change *)commit->changes.data,
                                 run.count, CREBIND_PATCH_BACK, &commit->failure);
  commit->changes.count = 0;
  if (status == CREBIND_LEFT_OPEN) commit->failed_image = crebind_known_image_at(known)->index;
  if (status != CREBIND_OK && status != CREBIND_LEFT_OPEN) return status;
  for (uint32_t i = run.first; i < run.first + run.count; i++)
    crebind_handle_entry(topmost, i)->is_dropped = true;
  crebind_handle_drop(topmost);
  crebind_known_image_at(known)->is_covered = false;
  return status;
}

// MARK: - Calls

crebind_status crebind_cover_update(struct crebind_attempt *attempt,
                                    const struct crebind_handle *new_handle,
                                    bool *has_lazy_slots) {
  struct crebind_world *world = &attempt->world;
  crebind_status status = CREBIND_OK;
  want_images(world, new_handle);
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++) {
    struct crebind_known_image *known =
        crebind_known_image_at(crebind_world_known(world, i));
    if (known->is_wanted == known->is_covered) continue;
    if (!known->is_wanted) {
      if (uncover(attempt, crebind_world_known(world, i)) == CREBIND_LEFT_OPEN)
        status = CREBIND_LEFT_OPEN;
      continue;
    }
    status = cover(attempt, i, has_lazy_slots);
    if (status == CREBIND_SEALED && !must_cover(world, i, new_handle)) {
      status = CREBIND_OK;
      continue;
    }
    if (status == CREBIND_OK) known->is_covered = true;
  }
  free_topmost_if_empty();
  return status;
}

crebind_status crebind_cover_undo(struct crebind_attempt *attempt) {
  // It tells of the failure that led here, and memory may have run out since it had some.
  struct crebind_commit *commit = &attempt->commit, failed = *commit;
  commit->changes.count = 0;
  bool unused = false;
  crebind_status status = crebind_cover_update(attempt, NULL, &unused);
  crebind_next_publish(&attempt->world, NULL);
  if (status == CREBIND_LEFT_OPEN) return status;
  failed.changes = commit->changes;
  *commit = failed;
  return CREBIND_OK;
}
