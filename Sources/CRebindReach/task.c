#include "CRebindReach.h"

#if defined(__clang__)
#define SWIFT_CALL __attribute__((swiftcall))
#else
/// The same for one argument and a result.
#define SWIFT_CALL
#endif

/// Swift's runtime. It allocates nothing and takes no lock.
SWIFT_CALL extern void *_Nullable swift_task_localValueGet(const void *key);
SWIFT_CALL extern void *_Nullable swift_task_getCurrent(void);
SWIFT_CALL extern uint64_t swift_task_getJobTaskId(void *job);

const void *crebind_reach_task_value(const void *key) { return swift_task_localValueGet(key); }

uint64_t crebind_reach_task_number(void) {
  void *task = swift_task_getCurrent();
  return task != NULL ? swift_task_getJobTaskId(task) : 0;
}

uint64_t crebind_reach_task_or_block(void) {
  uint64_t number = crebind_reach_task_number();
  return number != 0 ? number : crebind_reach_this_thread.block;
}
