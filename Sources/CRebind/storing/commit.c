#define _GNU_SOURCE
#include "storing/commit.h"
#include "runtime/publish.h"

void crebind_commit_begin(struct crebind_commit *commit) {
  memset(commit, 0, sizeof *commit);
  commit->changes = CREBIND_VECTOR(struct crebind_change);
  commit->failed_image = SIZE_MAX;
}

void crebind_commit_end(struct crebind_commit *commit) { crebind_vector_free(&commit->changes); }

bool crebind_commit_add(struct crebind_commit *commit, const struct crebind_entry *entry,
                        uintptr_t from, uintptr_t to, bool always, bool is_optional) {
  struct crebind_change *change = crebind_vector_append(&commit->changes, 1);
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

/// The changes of one image.
struct run {
  struct crebind_change *changes;
  size_t count;
};

static struct run run_at(const struct crebind_commit *commit, size_t begin) {
  struct crebind_change *changes = (struct crebind_change *)commit->changes.data + begin;
  size_t count = 1, left = commit->changes.count - begin;
  while (count < left && changes[count].image == changes->image) count++;
  return (struct run){changes, count};
}

/// Leaves an image as it was.
static void skip(const struct crebind_world *world, const struct run *run) {
  struct crebind_patch_failure failure;
  crebind_patch_image(world, run->changes, run->count, CREBIND_PATCH_BACK, &failure);
  for (size_t i = 0; i < run->count; i++)
    run->changes[i].is_refused = run->changes[i].is_sealed = true;
}

static crebind_status store(struct crebind_commit *commit, const struct crebind_world *world,
                            const struct run *run) {
  crebind_status status = crebind_patch_image(world, run->changes, run->count,
                                              CREBIND_PATCH_REQUIRED, &commit->failure);
  if (status == CREBIND_SEALED && commit->skips_sealed) {
    skip(world, run);
    return CREBIND_OK;
  }
  if (status != CREBIND_OK) return status;
  struct crebind_patch_failure refusal;
  status = crebind_patch_image(world, run->changes, run->count, CREBIND_PATCH_OPTIONAL, &refusal);
  if (status != CREBIND_OK) {
    commit->failure = refusal;
    return status;
  }
  for (size_t i = 0; i < run->count; i++) commit->refused += run->changes[i].is_refused;
  return CREBIND_OK;
}

crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world) {
  crebind_status status = CREBIND_OK;
  size_t done = 0;
  commit->refused = 0;
  if (commit->changes.count != 0) crebind_publish_end();
  while (done < commit->changes.count && status == CREBIND_OK) {
    struct run run = run_at(commit, done);
    status = store(commit, world, &run);
    if (status != CREBIND_OK) commit->failed_image = run.changes->image;
    done += run.count;
  }
  if (status == CREBIND_OK) return CREBIND_OK;
  // A word that was never stored does not hold the new value.
  for (size_t undone = 0; undone < done;) {
    struct run run = run_at(commit, undone);
    struct crebind_patch_failure failure;
    crebind_status back =
        crebind_patch_image(world, run.changes, run.count, CREBIND_PATCH_BACK, &failure);
    if (back == CREBIND_LEFT_OPEN && status != CREBIND_LEFT_OPEN) {
      status = back;
      commit->failure = failure;
      commit->failed_image = run.changes->image;
    }
    undone += run.count;
  }
  return status;
}
