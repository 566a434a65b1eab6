/// Blocks that a task puts on a queue of libdispatch.
///
/// A block runs on a thread of its queue, outside of any task, so that no task-local value leads to the scopes of
/// the task that has put it there. To keep the scopes in a variable of that thread would not do. The block may run a job
/// of another task, as an executor on a queue does, and it may begin scopes and tasks itself. So the task's own values
/// are bound on the thread while the block runs, as `withValue` does outside of a task. All that looks for scopes finds
/// them there, a `Task {}` that the block starts has them, and a job of another task does not see them.
///
/// The entry points with a block give way to those with a function, which calls the block: libdispatch copies a block,
/// and gives it no other meaning. But a block that libdispatch has made is a work item: it can be cancelled
/// and waited for, and has a priority. Such blocks are left alone.

#if defined(__linux__)
#include "CRebindReach.h"
#include "CRebindSites.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/// How a block begins, whoever has compiled it.
typedef struct block {
  const void *kind;
  int32_t flags, reserved;
  void (*invoke)(struct block *block);
} block;

typedef void run_function(void *context);

#define KINDS 2

/// A value of a task-local, which leads to scopes.
typedef struct kind {
  const void *key, *type;
  /// Written last.
  _Atomic(crebind_reach_has_live *) has_live;
} kind;

static kind kinds[KINDS];

/// The bytes of a task-local value.
typedef struct value {
  const void *scopes;
  void *owner;
} value;

/// A block on its way, and the values of its task, each of which has a reference to its owner.
typedef struct work {
  block *block;
  /// A number of its own, as a task has one.
  uint64_t number;
  value values[KINDS];
} work;

static struct {
  block *(*copy_block)(const block *block);
  void (*release_block)(block *block);
  void *(*retain)(void *object);
  /// The value's reference is taken over.
  void (*push)(const void *key, value *value, const void *type);
  void (*pop)(void);
} runtime;

static crebind_reach_code libdispatch;

void crebind_reach_take_along(const void *key, const void *type, crebind_reach_has_live *has_live) {
  static _Atomic size_t count;
  kind *kind = &kinds[count++];
  kind->key = key;
  kind->type = type;
  kind->has_live = has_live;
}

// MARK: - A block's way

CREBIND_REACH_LEFT_OUT static void run(void *context) {
  work work = *(struct work *)context;
  crebind_reach_this_thread.suppressed++;
  free(context);
  size_t count = 0;
  for (size_t i = 0; i < KINDS; i++) {
    if (work.values[i].owner == NULL) continue;
    runtime.push(kinds[i].key, &work.values[i], kinds[i].type);
    count++;
  }
  uint64_t outer = crebind_reach_this_thread.block;
  crebind_reach_this_thread.block = work.number;
  crebind_reach_this_thread.suppressed--;
  work.block->invoke(work.block);
  runtime.release_block(work.block);
  crebind_reach_this_thread.suppressed++;
  crebind_reach_this_thread.block = outer;
  for (; count > 0; count--) runtime.pop();
  crebind_reach_this_thread.suppressed--;
}

/// The thread's values that lead to scopes which have not ended. False if it has none.
static bool find_values(value *values) {
  bool is_found = false;
  for (size_t i = 0; i < KINDS; i++) {
    values[i] = (value){NULL, NULL};
    crebind_reach_has_live *has_live = kinds[i].has_live;
    const value *value = has_live != NULL ? crebind_reach_task_value(kinds[i].key) : NULL;
    if (value == NULL || value->owner == NULL || !has_live(value->scopes)) continue;
    values[i] = *value;
    is_found = true;
  }
  return is_found;
}

/// The block with the thread's values; NULL if it is to go its usual way.
CREBIND_REACH_LEFT_OUT static work *take_along(const block *block) {
  value values[KINDS];
  if (crebind_reach_this_thread.suppressed != 0 || !find_values(values)
      || crebind_reach_has_code(&libdispatch, (const void *)block->invoke))
    return NULL;
  int error = errno;
  crebind_reach_this_thread.suppressed++;
  work *work = malloc(sizeof *work);
  crebind_reach_this_thread.suppressed--;
  // The task asks for this memory in any case.
  if (work != NULL) work->block = runtime.copy_block(block);
  crebind_reach_this_thread.suppressed++;
  if (work != NULL && work->block == NULL) {
    free(work);
    work = NULL;
  }
  if (work != NULL) {
    for (size_t i = 0; i < KINDS; i++)
      if (values[i].owner != NULL) runtime.retain(values[i].owner);
    memcpy(work->values, values, sizeof values);
    work->number = crebind_reach_number_block();
  }
  crebind_reach_this_thread.suppressed--;
  errno = error;
  return work;
}

// MARK: - Entry points

enum { ASYNC, BARRIER, AFTER, GROUP, NOTIFY, ENTRIES };

static void async(void *queue, const block *block);
static void barrier(void *queue, const block *block);
static void after(uintptr_t time, void *queue, const block *block);
static void group(uintptr_t group, void *queue, const block *block);
static void notify(uintptr_t group, void *queue, const block *block);

static struct {
  crebind_reach_entry entry;
  const char *name_with_function;
  /// libdispatch's own, and the one with a function.
  void *definition, *with_function;
} entries[ENTRIES] = {
    [ASYNC] = {{"dispatch_async", (void *)async, NULL}, "dispatch_async_f", NULL, NULL},
    [BARRIER] = {{"dispatch_barrier_async", (void *)barrier, NULL},
                 "dispatch_barrier_async_f",
                 NULL,
                 NULL},
    [AFTER] = {{"dispatch_after", (void *)after, NULL}, "dispatch_after_f", NULL, NULL},
    [GROUP] = {{"dispatch_group_async", (void *)group, NULL}, "dispatch_group_async_f", NULL, NULL},
    [NOTIFY] = {{"dispatch_group_notify", (void *)notify, NULL},
                "dispatch_group_notify_f",
                NULL,
                NULL},
};

/// The same for an entry point. If somebody else has replaced libdispatch's function, that replacement still sees its
/// calls.
static work *begin(size_t index, const block *block) {
  return entries[index].entry.original == entries[index].definition ? take_along(block) : NULL;
}

CREBIND_REACH_LEFT_OUT static void put(size_t index, void *queue, const block *block) {
  work *work = begin(index, block);
  if (work != NULL)
    ((void (*)(void *, void *, run_function *))entries[index].with_function)(queue, work, run);
  else ((void (*)(void *, const struct block *))entries[index].entry.original)(queue, block);
}

/// The same for those that take a time or a group first.
CREBIND_REACH_LEFT_OUT static void put_with(size_t index, uintptr_t first, void *queue, const block *block) {
  work *work = begin(index, block);
  if (work != NULL)
    ((void (*)(uintptr_t, void *, void *, run_function *))entries[index].with_function)(
        first, queue, work, run);
  else
    ((void (*)(uintptr_t, void *, const struct block *))entries[index].entry.original)(
        first, queue, block);
}

CREBIND_REACH_LEFT_OUT static void async(void *queue, const block *block) { put(ASYNC, queue, block); }
CREBIND_REACH_LEFT_OUT static void barrier(void *queue, const block *block) { put(BARRIER, queue, block); }
CREBIND_REACH_LEFT_OUT static void after(uintptr_t time, void *queue, const block *block) {
  // libdispatch passes over what is for DISPATCH_TIME_FOREVER, and frees no context.
  if (time == UINTPTR_MAX)
    ((void (*)(uintptr_t, void *, const struct block *))entries[AFTER].entry.original)(time, queue,
                                                                                       block);
  else put_with(AFTER, time, queue, block);
}
CREBIND_REACH_LEFT_OUT static void group(uintptr_t group, void *queue, const block *block) {
  put_with(GROUP, group, queue, block);
}
CREBIND_REACH_LEFT_OUT static void notify(uintptr_t group, void *queue, const block *block) {
  put_with(NOTIFY, group, queue, block);
}

static bool is_libdispatch(const char *path, const void *context) {
  (void)context;
  const char *slash = strrchr(path, '/');
  return strcmp(slash != NULL ? slash + 1 : path, "libdispatch.so") == 0;
}

bool crebind_reach_prepare_queues(crebind_reach_look_up *look_up) {
  bool is_complete = true;
  for (size_t i = 0; i < ENTRIES; i++) {
    entries[i].definition = look_up(entries[i].entry.name);
    entries[i].with_function = look_up(entries[i].name_with_function);
    if (entries[i].definition == NULL || entries[i].with_function == NULL) is_complete = false;
  }
  const struct {
    const char *name;
    void **place;
  } functions[] = {
      {"_Block_copy", (void **)&runtime.copy_block},
      {"_Block_release", (void **)&runtime.release_block},
      {"swift_retain", (void **)&runtime.retain},
      {"swift_task_localValuePush", (void **)&runtime.push},
      {"swift_task_localValuePop", (void **)&runtime.pop},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    *functions[i].place = look_up(functions[i].name);
    if (*functions[i].place == NULL) is_complete = false;
  }
  crebind_reach_find_code(&libdispatch, is_libdispatch, NULL);
  return is_complete && libdispatch.count != 0;
}

crebind_reach_entry *crebind_reach_queue_entry(size_t index) {
  return index < ENTRIES ? &entries[index].entry : NULL;
}
#endif
