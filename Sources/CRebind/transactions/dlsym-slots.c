#if defined(__linux__)
#define _GNU_SOURCE
#include "transactions/dlsym-slots.h"
#include "definitions/dlsym-answers.h"
#include "patching/settle.h"


/// The wanted state of an image, and its present one.
struct covering {
  /// Whether the image holds replacements, and whether its slots of dlsym and dlvsym lead to us.
  bool is_wanted, is_covered;
  /// The pages of these slots could not be closed. The next call tries again.
  bool is_left_open;
};

static struct crebind_known_table coverings = CREBIND_KNOWN_TABLE(struct covering);

static struct covering *covering_of(size_t known) { return crebind_known_row(&coverings, known); }

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
    covering_of(crebind_world_known(world, index))->is_wanted = true;
  }
}

/// False if the batch accepts that a sealed image stays as it is.
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
  for (size_t i = 0; i < crebind_known_count(); i++) covering_of(i)->is_wanted = false;
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
      {.name = "dlsym", .replacement = (void *)crebind_dlsym_wrapper(false)},
      {.name = "dlvsym", .replacement = (void *)crebind_dlsym_wrapper(true)},
  };
  // Images are covered one by one, and keep their definitions.
  const crebind_options options = {.loaded_images_only = true};
  struct crebind_handle *handle;
  crebind_status status = crebind_handle_make(&handle, rebindings, NULL, 2, &options, true, true, NULL);
  if (status == CREBIND_OK) crebind_handle_link_topmost(handle);
  return status;
}

static void free_topmost_if_empty(void) {
  struct crebind_handle *topmost = crebind_records.topmost;
  if (topmost == NULL || topmost->entries.count != 0) return;
  for (size_t i = 0; i < crebind_known_count(); i++)
    if (covering_of(i)->is_covered) return;
  crebind_handle_unlink(topmost);
  crebind_active_free(topmost);
}

static void drop_from(size_t first) {
  struct crebind_handle *topmost = crebind_records.topmost;
  for (size_t i = first; i < topmost->entries.count; i++)
    crebind_entry_step(crebind_handle_entry(topmost, i), CREBIND_DROPPED);
  crebind_handle_drop(topmost);
}

/// Stores the changes that were added, or drops them.
static crebind_status store(struct crebind_attempt *attempt) {
  struct crebind_commit *commit = &attempt->commit;
  size_t first = commit->stored;
  crebind_status status = crebind_commit_store(commit, &attempt->world);
  if (status != CREBIND_OK) crebind_vector_truncate(&commit->changes, first);
  return status;
}

/// Stores the entries from `first` on; on failure they are dropped.
static crebind_status store_from(struct crebind_attempt *attempt, size_t first,
                                 bool *may_race) {
  struct crebind_handle *topmost = crebind_records.topmost;
  struct crebind_commit *commit = &attempt->commit;
  bool has_lazy_slots = false;
  crebind_status status = crebind_handle_index(topmost) ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
  // The table has to know a caller before its slot leads here.
  if (status == CREBIND_OK && !crebind_dlsym_publish(&attempt->world, NULL))
    status = CREBIND_OUT_OF_MEMORY;
  for (size_t i = first; i < topmost->entries.count && status == CREBIND_OK; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(topmost, i);
    uintptr_t word = crebind_load_word(entry->address);
    has_lazy_slots |= entry->is_lazy;
    if (!crebind_commit_add(commit, entry, word, entry->value, true, false))
      status = CREBIND_OUT_OF_MEMORY;
  }
  *may_race |= has_lazy_slots && !crebind_is_alone();
  if (status == CREBIND_OK)
    status = store(attempt);
  else
    crebind_vector_truncate(&commit->changes, commit->stored);
  if (status != CREBIND_OK) drop_from(first);
  return status;
}

static crebind_status cover(struct crebind_attempt *attempt, size_t index, bool *may_race) {
  crebind_status status =
      crebind_records.topmost != NULL ? CREBIND_OK : make_topmost();
  if (status != CREBIND_OK) return status;
  struct crebind_handle *topmost = crebind_records.topmost;
  struct crebind_plan plan;
  crebind_plan_begin(&plan, &attempt->world, topmost, true);
  status = crebind_plan_add_image(&plan, index, true);
  if (status == CREBIND_OK && !crebind_attempt_is_sure(attempt)) status = CREBIND_BUSY;
  size_t first = topmost->entries.count, count = plan.entries.count;
  if (status == CREBIND_OK && count != 0) {
    struct crebind_entry *entries = crebind_vector_append(&topmost->entries, count);
    if (entries != NULL) {
      memcpy(entries, plan.entries.data, count * sizeof *entries);
      status = store_from(attempt, first, may_race);
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

/// Puts back what the slots of an image held; the entries stay until the end.
static crebind_status uncover(struct crebind_attempt *attempt, size_t known) {
  struct crebind_handle *topmost = crebind_records.topmost;
  struct crebind_commit *commit = &attempt->commit;
  struct crebind_run run = crebind_handle_run(topmost, known);
  for (uint32_t i = run.first; i < run.first + run.count; i++) {
    const struct crebind_entry *entry = crebind_handle_entry(topmost, i);
    if (!crebind_commit_add(commit, entry, entry->value, entry->previous, false, false)) {
      crebind_vector_truncate(&commit->changes, commit->stored);
      return CREBIND_OUT_OF_MEMORY;
    }
    if (covering_of(known)->is_left_open) crebind_commit_close_last(commit);
  }
  return store(attempt);
}

// MARK: - Calls

crebind_status crebind_dlsym_slots_begin(struct crebind_attempt *attempt,
                                         const struct crebind_handle *new_handle,
                                         bool *may_race) {
  struct crebind_world *world = &attempt->world;
  if (!crebind_known_attach(&coverings)) return CREBIND_OUT_OF_MEMORY;
  crebind_status status = CREBIND_OK;
  want_images(world, new_handle);
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++) {
    uint32_t index = crebind_world_known(world, i);
    struct covering *covering = covering_of(index);
    if (covering->is_wanted == covering->is_covered) continue;
    if (covering->is_wanted)
      status = cover(attempt, i, may_race);
    else
      // If its pages cannot be opened, the image stays covered.
      covering->is_wanted = uncover(attempt, index) != CREBIND_OK;
    if (status != CREBIND_SEALED || must_cover(world, i, new_handle)) continue;
    covering->is_wanted = false;
    status = CREBIND_OK;
  }
  return status;
}

/// Drops the entries of an image. If covering it has failed, keeps the entries that could not be
/// taken back.
static void drop_entries(size_t known, bool has_failed) {
  struct crebind_handle *topmost = crebind_records.topmost;
  struct crebind_run run = topmost != NULL ? crebind_handle_run(topmost, known)
                                           : (struct crebind_run){0, 0};
  bool is_covered = false;
  for (uint32_t i = run.first; i < run.first + run.count; i++) {
    struct crebind_entry *entry = crebind_handle_entry(topmost, i);
    bool is_dropped = !has_failed || crebind_load_word(entry->address) != entry->value;
    crebind_entry_drop_if(entry, is_dropped);
    is_covered |= !is_dropped;
  }
  if (run.count != 0) crebind_handle_drop(topmost);
  covering_of(known)->is_covered = is_covered;
}

/// True if some of the image's pages could not be closed.
static bool is_left_open(const struct crebind_commit *commit, size_t index) {
  for (size_t i = 0; i < commit->changes.count; i++) {
    const struct crebind_change *change = crebind_vector_at(&commit->changes, i);
    if (change->image == index && change->is_left_open) return true;
  }
  return false;
}

crebind_status crebind_dlsym_slots_end(struct crebind_attempt *attempt, crebind_status status) {
  struct crebind_world *world = &attempt->world;
  status = status == CREBIND_OK ? crebind_commit_run(&attempt->commit, world)
                                : crebind_commit_undo(&attempt->commit, world, status);
  for (size_t i = 0; coverings.is_attached && i < world->images.items.count; i++) {
    uint32_t index = crebind_world_known(world, i);
    struct covering *covering = covering_of(index);
    if (covering->is_wanted == covering->is_covered) continue;
    // The next call uncovers it, and tries again.
    covering->is_left_open = !covering->is_wanted && is_left_open(&attempt->commit, i);
    if (status == CREBIND_OK && covering->is_wanted)
      covering->is_covered = true;
    else if (status == CREBIND_OK || covering->is_wanted)
      drop_entries(index, covering->is_wanted);
  }
  free_topmost_if_empty();
  // The table may know of a batch that is not going to be active.
  if (status != CREBIND_OK) crebind_dlsym_publish(world, NULL);
  return status;
}
#endif
