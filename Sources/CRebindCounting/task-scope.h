/// The scopes of a task, which a task-local value leads to.

#if defined(__linux__) && !defined(CREBIND_COUNTING_TASK_SCOPE_H)
#define CREBIND_COUNTING_TASK_SCOPE_H

#include "CRebindSwift.h"
#include "thread-counts.h"

/// The key of the task-local value that leads to a task's scopes.
extern CREBIND_COUNTING_HIDDEN const void *crebind_counting_task_key;
/// The number of scopes of tasks.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_task_scopes;

/// The youngest scope of this thread's task; NULL if it has none. Each counted call comes here, so that it does without
/// `crebind_reach_task_value`.
static inline crebind_counting_scope *crebind_counting_task_scope(void) {
  if (atomic_load_explicit(&crebind_counting_task_scopes, memory_order_relaxed) == 0) return NULL;
  crebind_counting_scope *const *value =
      (crebind_counting_scope *const *)swift_task_localValueGet(crebind_counting_task_key);
  return value != NULL ? *value : NULL;
}

/// Notifies a scope and the older ones of its task of a call of this thread.
CREBIND_COUNTING_HIDDEN void crebind_counting_notify_task(crebind_counting_scope *scope,
                                                          const crebind_counting_event *event);
/// The same for a call that has returned a block, or none.
CREBIND_COUNTING_HIDDEN void crebind_counting_allocate_in_task(crebind_counting_scope *scope,
                                                               crebind_counting_function function,
                                                               size_t bytes, void *block,
                                                               const void *caller);
/// The same for a call that has freed a block of a size.
CREBIND_COUNTING_HIDDEN void crebind_counting_free_in_task(crebind_counting_scope *scope,
                                                           int64_t size, const void *caller);

#endif
