#define _GNU_SOURCE
#include "commit.h"

void crebind_commit_begin(struct crebind_commit *commit) {
  memset(commit, 0, sizeof *commit);
  commit->changes = CREBIND_VECTOR(struct crebind_change);
  commit->failed_image = SIZE_MAX;
}

void crebind_commit_end(struct crebind_commit *commit) { crebind_vector_free(&commit->changes); }

bool crebind_commit_add(struct crebind_commit *commit, const struct crebind_entry *entry,
                        uintptr_t from, uintptr_t to, bool always) {
  struct crebind_change *change = crebind_vector_append(&commit->changes, 1);
  if (change == NULL) return false;
  *change = (struct crebind_change){
      .address = entry->address,
      .from = from,
      .to = to,
      .image = (uint32_t)crebind_known_image_at(entry->image)->index,
      .always = always,
  };
  return true;
}

/// Stores the first `count` changes, or takes them back.
static crebind_status store(struct crebind_commit *commit, const struct crebind_world *world,
                            size_t count, bool takes_back, size_t *done) {
  const struct crebind_change *changes = (const struct crebind_change *)commit->changes.data;
  crebind_status status = CREBIND_OK;
  commit->images = 0;
  for (size_t begin = 0, end; begin < count && status == CREBIND_OK; begin = end) {
    size_t image = changes[begin].image;
    for (end = begin; end < count && changes[end].image == image; end++) continue;
    status = crebind_patch_image(crebind_world_image(world, image), changes + begin, end - begin,
                                 takes_back, takes_back || commit->accepts_open_relro,
                                 &commit->failure);
    if (status != CREBIND_OK) commit->failed_image = image;
    *done = end;
    commit->images++;
  }
  return status;
}

crebind_status crebind_commit_run(struct crebind_commit *commit,
                                  const struct crebind_world *world) {
  size_t done = 0, undone;
  crebind_status status = store(commit, world, commit->changes.count, false, &done);
  if (status == CREBIND_OK) return CREBIND_OK;
  struct crebind_patch_failure failure = commit->failure;
  size_t failed_image = commit->failed_image;
  // A word that was never stored does not hold the new value.
  store(commit, world, done, true, &undone);
  commit->failure = failure;
  commit->failed_image = failed_image;
  return status;
}
