/// The functions of Swift's runtime that tell of tasks. They allocate nothing and take no lock.

#if defined(__linux__) && !defined(CREBIND_SWIFT_H)
#define CREBIND_SWIFT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#define CREBIND_SWIFT_CALL __attribute__((swiftcall))
#else
#define _Nullable
/// The same for one argument and a result.
#define CREBIND_SWIFT_CALL
#endif

/// The current task's value of a task-local, or outside of a task the thread's; NULL for none.
CREBIND_SWIFT_CALL extern void *_Nullable swift_task_localValueGet(const void *key);
/// The task that the thread runs; NULL for none.
CREBIND_SWIFT_CALL extern void *_Nullable swift_task_getCurrent(void);
/// The number of a job, which is its task's for each of a task's jobs.
CREBIND_SWIFT_CALL extern uint64_t swift_task_getJobTaskId(void *job);
/// A job's flags. The lowest eight bits are 0 for a task's.
CREBIND_SWIFT_CALL extern size_t swift_task_getJobFlags(void *job);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
