#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/postponed.h"
#include "patching/settle.h"
#include "runtime/lock.h"

bool crebind_postpone(struct crebind_handle *handle) {
  struct crebind_active *active = crebind_active_of(handle);
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (entry->kind != CREBIND_DEFINITION) continue;
    struct crebind_entry *postponed = crebind_vector_append(&active->postponed, 1);
    if (postponed == NULL) return false;
    crebind_entry_copy_without_resolver(postponed, entry);
    crebind_entry_step(entry, CREBIND_DROPPED);
    crebind_judge_name_of(handle, entry);
  }
  crebind_handle_drop(handle);
  crebind_postponed_wait(handle);
  return true;
}

size_t crebind_count_postponed(const struct crebind_handle *handle) {
  return crebind_active_of(handle)->postponed.count;
}

void crebind_postponed_resume(struct crebind_handle *handle) {
  crebind_active_of(handle)->postponement = CREBIND_NOT_POSTPONED;
}

void crebind_postponed_end(struct crebind_handle *handle) {
  crebind_postponed_resume(handle);
  crebind_vector_free(&crebind_active_of(handle)->postponed);
}

void crebind_postponed_wait(struct crebind_handle *handle) {
  crebind_active_of(handle)->postponement = CREBIND_POSTPONED_BY_CALL;
}

static void leave(struct crebind_handle *handle) {
  crebind_active_of(handle)->postponement = CREBIND_POSTPONED_BY_THREADS;
  // Images that are loaded meanwhile are bound to the definitions as they were.
  crebind_need_notice(handle, true);
}

void crebind_postponed_leave(struct crebind_handle *handle) {
  crebind_lock();
  leave(handle);
  crebind_unlock();
}

void crebind_postponed_take_on(void) {
  bool is_asked = false, is_over = false;
  for CREBIND_EACH_BATCH(handle) {
    if (crebind_active_of(handle)->postponement != CREBIND_POSTPONED_BY_THREADS) continue;
    if (!is_asked) is_over = crebind_settle_is_over();
    is_asked = true;
    if (is_over) crebind_postponed_end(handle);
  }
}

void crebind_postponed_forget(struct crebind_handle *handle) {
  struct crebind_vector *postponed = &crebind_active_of(handle)->postponed;
  size_t kept = 0;
  for (size_t i = 0; i < postponed->count; i++) {
    struct crebind_entry *entry = crebind_vector_at(postponed, i);
    if (crebind_known_image_at(entry->image)->is_present)
      *(struct crebind_entry *)crebind_vector_at(postponed, kept++) = *entry;
  }
  crebind_vector_truncate(postponed, kept);
}

/// The threads that asked, and those that waited for them, do not exist in the child.
static void forked(int parent) {
  (void)parent;
  for CREBIND_EACH_BATCH(handle)
    if (crebind_active_of(handle)->postponement == CREBIND_POSTPONED_BY_CALL) leave(handle);
}

__attribute__((constructor)) static void start(void) {
  static struct crebind_fork_handler handler = {forked, NULL};
  crebind_handle_forks(&handler);
}
#endif
