/// Tasks and the blocks that they put on queues: their numbers, and which of them are new.
///
/// A task's first job is handed over by the thread that makes the task, in the order in which its creator makes its
/// tasks. There a task and its creator are known, before the task runs.

#if defined(__linux__)
#include "CRebindReach.h"
#include "CRebindSwift.h"

#include <stdatomic.h>

const void *crebind_reach_task_value(const void *key) { return swift_task_localValueGet(key); }

uint64_t crebind_reach_task_number(void) {
  void *task = swift_task_getCurrent();
  return task != NULL ? swift_task_getJobTaskId(task) : 0;
}

uint64_t crebind_reach_task_or_block(void) {
  uint64_t number = crebind_reach_task_number();
  return number != 0 ? number : crebind_reach_this_thread.block;
}

// MARK: - New tasks

static _Atomic(crebind_reach_new_task *) new_task;

void crebind_reach_set_new_task(crebind_reach_new_task *handler) { new_task = handler; }

static void tell(uint64_t number) {
  crebind_reach_new_task *handler = new_task;
  if (handler != NULL) handler(number);
}

void crebind_reach_note_job(void *job) {
  // The numbers of tasks go up, so that the last ones are enough.
  static _Atomic uint32_t seen[1 << 16];
  // An actor's job is of no task, and may have no number.
  if ((swift_task_getJobFlags(job) & 0xff) != 0) return;
  uint64_t number = swift_task_getJobTaskId(job);
  uint32_t mark = (uint32_t)(number >> 16) + 1;
  _Atomic uint32_t *place = &seen[number & 0xffff];
  // A resumed task's job is not its first one.
  if (atomic_load_explicit(place, memory_order_relaxed) == mark) return;
  atomic_store_explicit(place, mark, memory_order_relaxed);
  tell(number);
}

uint64_t crebind_reach_number_block(void) {
  static _Atomic uint64_t last = 1ull << 63;
  uint64_t number = ++last;
  tell(number);
  return number;
}
#endif
