/// The scopes of a task, which a task-local value leads to.
///
/// Each counted call looks the value up. A thread cannot keep what it has found for its task: while an `isolated deinit`
/// runs, the task has none of its values, and nothing but the value tells.

#if defined(__linux__) && !defined(CREBIND_COUNTING_TASK_SCOPE_H)
#define CREBIND_COUNTING_TASK_SCOPE_H

#include "CRebindSwift.h"
#include "scope.h"

/// The key of the task-local value that leads to a task's scopes.
extern CREBIND_COUNTING_HIDDEN const void *crebind_counting_task_key;
/// The number of scopes of tasks.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_task_scopes;

/// The youngest of some scopes that has not ended; NULL for none.
static inline crebind_counting_scope *crebind_counting_first_active(
    const crebind_counting_scope *scope) {
  while (scope != NULL && !scope->is_active) scope = scope->outer;
  return (crebind_counting_scope *)scope;
}

/// The scope of this thread's task that has a call; NULL if none has. It does without `crebind_reach_task_value`.
static inline crebind_counting_scope *crebind_counting_task_scope(void) {
  if (atomic_load_explicit(&crebind_counting_task_scopes, memory_order_relaxed) == 0) return NULL;
  crebind_counting_scope *const *value =
      (crebind_counting_scope *const *)swift_task_localValueGet(crebind_counting_task_key);
  return value != NULL ? crebind_counting_first_active(*value) : NULL;
}

/// The thread's lane in a scope of its task. NULL if another thread has the lane, or if this scope or an older one of the
/// task needs more of a call.
static inline crebind_counting_lane *crebind_counting_simple_lane(crebind_counting_scope *scope) {
  return scope->is_simple ? crebind_counting_lane_of(scope, crebind_counting_own_block()->number)
                          : NULL;
}

/// Notifies a scope and the older ones of its task of a call of this thread.
CREBIND_COUNTING_HIDDEN void crebind_counting_notify_task(crebind_counting_scope *scope,
                                                          const crebind_counting_event *event);

#endif
