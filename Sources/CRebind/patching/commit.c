#if defined(__linux__)
#define _GNU_SOURCE
#include "patching/commit.h"
#include "runtime/publish.h"

void crebind_commit_begin(struct crebind_commit *commit) {
  memset(commit, 0, sizeof *commit);
  commit->changes = CREBIND_VECTOR(struct crebind_change);
  commit->failed_image = SIZE_MAX;
}

void crebind_commit_end(struct crebind_commit *commit) { crebind_vector_free(&commit->changes); }

bool crebind_commit_add(struct crebind_commit *commit, const struct crebind_entry *entry,
                        uintptr_t from, uintptr_t to, bool always, bool is_optional) {
  struct crebind_change *change = crebind_vector_push(&commit->changes);
  if (change == NULL) return false;
  *change = (struct crebind_change){
      .address = entry->address,
      .from = from,
      .to = to,
      .image = (uint32_t)crebind_known_image_at(entry->image)->index,
      .always = always,
      .is_optional = is_optional,
  };
  return true;
}

void crebind_commit_close_last(struct crebind_commit *commit) {
  struct crebind_change *change =
      crebind_vector_at(&commit->changes, commit->changes.count - 1);
  change->closes = true;
}

const struct crebind_change *crebind_commit_find(const struct crebind_commit *commit,
                                                 uintptr_t address) {
  for (size_t i = 0; i < commit->changes.count; i++) {
    const struct crebind_change *change = crebind_vector_at(&commit->changes, i);
    if (change->address == address) return change;
  }
  return NULL;
}

/// The changes of one image.
struct run {
  struct crebind_change *changes;
  size_t count;
};

static struct run run_at(const struct crebind_commit *commit, size_t begin, size_t end) {
  struct crebind_change *changes = (struct crebind_change *)commit->changes.data + begin;
  size_t count = 1, left = end - begin;
  while (count < left && changes[count].image == changes->image) count++;
  return (struct run){changes, count};
}

// MARK: - Opening and closing

/// Leaves an image as it is.
static void skip(const struct run *run) {
  for (size_t i = 0; i < run->count; i++)
    run->changes[i].is_refused = run->changes[i].is_sealed = true;
}

static crebind_status open_run(struct crebind_commit *commit, const struct crebind_world *world,
                               const struct run *run) {
  crebind_status status = crebind_patch_open(world, run->changes, run->count,
                                             CREBIND_PATCH_REQUIRED, &commit->failure);
  if (status == CREBIND_SEALED && commit->skips_sealed) {
    skip(run);
    return CREBIND_OK;
  }
  if (status != CREBIND_OK) return status;
  struct crebind_patch_failure unused;
  return crebind_patch_open(world, run->changes, run->count, CREBIND_PATCH_OPTIONAL, &unused);
}

/// Closes the pages of the changes from `first` to `end`.
///
/// \param gives_up If true, leaves pages open that cannot be closed, and goes on; if false, stops
///   there.
static crebind_status close_pages(struct crebind_commit *commit,
                                  const struct crebind_world *world, size_t first, size_t end,
                                  bool gives_up) {
  crebind_status status = CREBIND_OK;
  for (struct run run; first < end && (status == CREBIND_OK || gives_up); first += run.count) {
    run = run_at(commit, first, end);
    struct crebind_patch_failure failure;
    crebind_status closed =
        crebind_patch_close(world, run.changes, run.count, gives_up, &failure);
    if (closed == CREBIND_OK || status != CREBIND_OK) continue;
    status = closed;
    commit->failure = failure;
    commit->failed_image = run.changes->image;
  }
  return status;
}

// MARK: - Storing

typedef crebind_status run_step(struct crebind_commit *commit, const struct crebind_world *world,
                                const struct run *run);

/// Takes one step for each image of the changes from `first` to `end`.
static crebind_status for_each(struct crebind_commit *commit, const struct crebind_world *world,
                               size_t first, size_t end, run_step *step) {
  crebind_status status = CREBIND_OK;
  for (struct run run; first < end && status == CREBIND_OK; first += run.count) {
    run = run_at(commit, first, end);
    status = step(commit, world, &run);
    if (status != CREBIND_OK) commit->failed_image = run.changes->image;
  }
  return status;
}

static crebind_status move_run(struct crebind_commit *commit, const struct crebind_world *world,
                               const struct run *run) {
  return crebind_patch_move(world, run->changes, run->count, &commit->failure);
}

static crebind_status store_run(struct crebind_commit *commit, const struct crebind_world *world,
                                const struct run *run) {
  (void)world;
  commit->refused += crebind_patch_store(run->changes, run->count);
  return CREBIND_OK;
}

static crebind_status take_back_run(struct crebind_commit *commit,
                                    const struct crebind_world *world, const struct run *run) {
  commit->stuck += crebind_patch_take_back(world, run->changes, run->count);
  return CREBIND_OK;
}

/// Takes back the changes from `first` to `end`, and closes their pages; `status` is why.
static crebind_status undo(struct crebind_commit *commit, const struct crebind_world *world,
                           size_t first, size_t end, crebind_status status) {
  for_each(commit, world, first, end, take_back_run);
  if (close_pages(commit, world, first, end, true) != CREBIND_OK) return CREBIND_LEFT_OPEN;
  // A page that could not be closed at first is closed by now.
  return status == CREBIND_LEFT_OPEN ? CREBIND_PROTECTION : status;
}

crebind_status crebind_commit_store(struct crebind_commit *commit,
                                    const struct crebind_world *world) {
  size_t first = commit->stored, end = commit->changes.count;
  commit->refused = commit->stuck = 0;
  if (first == end) return CREBIND_OK;
  crebind_publish_end();
  crebind_status status = for_each(commit, world, first, end, open_run);
  if (status != CREBIND_OK)
    return close_pages(commit, world, first, end, true) == CREBIND_OK ? status
                                                                      : CREBIND_LEFT_OPEN;
  status = for_each(commit, world, first, end, move_run);
  if (status != CREBIND_OK) return undo(commit, world, first, end, status);
  for_each(commit, world, first, end, store_run);
  commit->stored = end;
  return CREBIND_OK;
}

crebind_status crebind_commit_undo(struct crebind_commit *commit,
                                   const struct crebind_world *world, crebind_status status) {
  size_t end = commit->stored;
  commit->stored = 0;
  return end == 0 ? status : undo(commit, world, 0, end, status);
}

crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world) {
  crebind_status status = crebind_commit_store(commit, world);
  if (status == CREBIND_OK) status = close_pages(commit, world, 0, commit->stored, false);
  if (status != CREBIND_OK) return crebind_commit_undo(commit, world, status);
  commit->stored = 0;
  return status;
}
#endif
