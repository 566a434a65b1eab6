/// In place of Swift's runtime: threads run no tasks, and nobody makes one.

#ifndef NO_TASKS_H
#define NO_TASKS_H

#include <stddef.h>
#include <stdint.h>

void *swift_task_getCurrent(void) { return NULL; }
uint64_t swift_task_getJobTaskId(void *job) { return job != NULL; }
size_t swift_task_getJobFlags(void *job) { return job != NULL; }

#endif
