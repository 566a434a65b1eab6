/// Shared by the fixtures of counters: scopes, and a task in place of Swift's.

#include "steps.h"
#include "CRebindCounting.h"
#include "no-tasks.h"

#include <malloc.h>

/// In place of Swift's runtime: the thread's task has this scope.
static __thread crebind_counting_scope *volatile task_value;
static __thread volatile bool has_task;
static const char task_key;

void *swift_task_localValueGet(const void *key) {
  CHECK(key == &task_key);
  return has_task ? (void *)&task_value : NULL;
}

static inline crebind_counting_scope *begin(crebind_counting_reach reach) {
  crebind_counting_scope *scope = crebind_counting_make(reach);
  CHECK(scope != NULL);
  crebind_counting_begin(scope, NULL, true);
  return scope;
}

static inline crebind_counting_counts end(crebind_counting_scope *scope) {
  crebind_counting_counts counts;
  crebind_counting_end(scope);
  CHECK(crebind_counting_read(scope, &counts));
  crebind_counting_free(scope);
  return counts;
}

static inline uint64_t all_calls(const crebind_counting_counts *counts) {
  uint64_t sum = 0;
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) sum += counts->calls[i];
  return sum;
}

/// From here on, malloc and its kind are counted.
static inline void start_counting(void) {
#if defined(__GLIBC__)
  // So that threads are given each other's blocks, as with other allocators.
  CHECK(mallopt(M_ARENA_MAX, 1) == 1);
#endif
  CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
  crebind_counting_set_task_key(&task_key);
}
