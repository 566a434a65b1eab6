/// Notifies scopes of calls: those of tasks, and all that watch images, sites or leaks.

#if defined(__linux__)
#define _GNU_SOURCE

#include "scope.h"
#include "functions.h"
#include "lock.h"
#include "peaks.h"
#include "epoch.h"
#include "task-scope.h"

#include <sys/mman.h>

_Atomic uint32_t crebind_counting_notified_scopes, crebind_counting_leaking_scopes;
_Atomic uint32_t crebind_counting_task_scopes;
const void *crebind_counting_task_key;

void crebind_counting_set_task_key(const void *key) { crebind_counting_task_key = key; }

static bool has_active(const void *scopes) {
  return crebind_counting_first_active(scopes) != NULL;
}

void crebind_counting_follow_queues(const void *type) {
  crebind_reach_take_along(crebind_counting_task_key, type, has_active);
}

// MARK: - Calls of tasks

__attribute__((noinline)) static void add_beside_others(crebind_counting_sums *sums,
                                                        const crebind_counting_event *event) {
  sums->calls[event->function]++;
  bool is_mapped = (event->marks & CREBIND_COUNTING_MAPPED) != 0;
  if (event->bytes != 0) *(is_mapped ? &sums->mapped_bytes : &sums->bytes) += event->bytes;
  if (event->marks == 0) return;
  sums->without_block += (event->marks & CREBIND_COUNTING_WITHOUT_BLOCK) != 0;
  sums->replaced += (event->marks & CREBIND_COUNTING_REPLACED) != 0;
  sums->without_mapping += (event->marks & CREBIND_COUNTING_WITHOUT_MAPPING) != 0;
}

/// Keeps the block that a call was given. A block that replaces another one is looked at with that one.
__attribute__((always_inline)) static inline void keep_block_of(
    crebind_counting_scope *scope, crebind_counting_lane *lane,
    const crebind_counting_event *event, crebind_counting_maker maker) {
  if (event->block == NULL || (event->marks & CREBIND_COUNTING_REPLACED) != 0) return;
  if (maker == CREBIND_COUNTING_OF_TASKS || crebind_counting_is_of_tasks(event->caller))
    scope->has_tasks = true;
  else crebind_counting_keep(scope, lane, event->block, event->live);
}

/// Counts a call for the images or the sites that the scope watches.
///
/// \returns The maker of the call, if the scope tells images apart. A call that is spared counts no further.
__attribute__((noinline)) static crebind_counting_maker watch(crebind_counting_scope *scope,
                                                              const crebind_counting_event *event) {
  crebind_counting_maker maker = scope->images != NULL
                                     ? crebind_counting_images_note(scope->images, event)
                                     : CREBIND_COUNTING_ANYBODY;
  if (maker != CREBIND_COUNTING_SPARED && scope->sites != NULL
      && (scope->site_groups & 1u << crebind_counting_group_of(event->function)) != 0)
    crebind_reach_note_call(scope->sites, event->function, event->caller, NULL, event->bytes);
  return maker;
}

/// Counts a call in a scope that is notified of it.
__attribute__((always_inline)) static inline void notify_scope(crebind_counting_scope *scope,
                                                             const crebind_counting_block *block,
                                                             const crebind_counting_event *event) {
  if (!scope->is_active) return;
  crebind_counting_maker maker = CREBIND_COUNTING_ANYBODY;
  if (scope->images != NULL || scope->sites != NULL) maker = watch(scope, event);
  if (maker == CREBIND_COUNTING_SPARED) return;
  crebind_counting_lane *lane = crebind_counting_lane_of(scope, block->number);
  if (lane != NULL) crebind_counting_add(&lane->sums, event);
  else add_beside_others(&scope->shared, event);
  // Blocks that are kept are added here, and subtracted when they are freed.
  if (scope->leaks != NULL) keep_block_of(scope, lane, event, maker);
  else if (event->live != 0) crebind_counting_change_usage(&scope->usage, event->live);
}

void crebind_counting_notify_task(crebind_counting_scope *scope,
                                  const crebind_counting_event *event) {
  const crebind_counting_block *block = crebind_counting_own_block();
  for (; scope != NULL; scope = scope->outer) notify_scope(scope, block, event);
}

// MARK: - Calls of a thread or the process that are watched

/// The scopes of the process that are notified of calls, the youngest first.
static _Atomic(crebind_counting_scope *) notified_of_process;
/// The scopes that watch leaks, the same way. They are told the frees of all threads.
static _Atomic(crebind_counting_scope *) leaking;
/// Scopes to be freed when no call reads the list. Guarded by the lock.
static crebind_counting_scope *retired;

__attribute__((noinline)) static void notify_list(crebind_counting_scope *scope,
                                                const crebind_counting_block *block,
                                                const crebind_counting_event *event) {
  for (; scope != NULL; scope = scope->outer_notified) notify_scope(scope, block, event);
}

/// Counts a call in the scopes of the process.
__attribute__((noinline)) static void notify_process(const crebind_counting_block *block,
                                                   const crebind_counting_event *event) {
  crebind_counting_block *reader = crebind_counting_enter_epoch();
  notify_list(notified_of_process, block, event);
  crebind_counting_leave_epoch(reader);
}

bool crebind_counting_begin_move(crebind_counting_move *move, const void *block) {
  // Until the move ends, so that no scope is freed that it leads to.
  move->reader = crebind_counting_enter_epoch();
  move->count = 0;
  for (crebind_counting_scope *scope = leaking; scope != NULL; scope = scope->outer_leaking) {
    int64_t size = crebind_counting_take_from(scope, NULL, block);
    if (size < 0) continue;
    move->size = size;
    if (move->count < sizeof move->scopes / sizeof *move->scopes)
      move->scopes[move->count++] = scope;
    else crebind_counting_leaks_give_up(scope->leaks);
  }
  if (move->count != 0) return true;
  crebind_counting_leave_epoch(move->reader);
  return false;
}

void crebind_counting_take(const void *block) {
  crebind_counting_block *reader = crebind_counting_enter_epoch();
  for (crebind_counting_scope *scope = leaking; scope != NULL; scope = scope->outer_leaking)
    crebind_counting_take_from(scope, NULL, block);
  crebind_counting_leave_epoch(reader);
}

void crebind_counting_end_move(const crebind_counting_move *move, const void *block, int64_t size) {
  for (unsigned i = 0; block != NULL && i < move->count; i++)
    crebind_counting_keep(move->scopes[i], NULL, block, size);
  crebind_counting_leave_epoch(move->reader);
}

void crebind_counting_notify(const crebind_counting_block *block,
                           const crebind_counting_event *event) {
  crebind_counting_notify_task(crebind_counting_task_scope(), event);
  if (event->live != 0) crebind_counting_note_peak(event->live);
  if (crebind_counting_this_thread.notified != NULL)
    notify_list(crebind_counting_this_thread.notified, block, event);
  if (notified_of_process != NULL) notify_process(block, event);
}

/// Whether a scope is on a list that other threads read.
static bool is_listed(const crebind_counting_scope *scope) {
  return crebind_counting_is_notified(scope)
         && (scope->reach == CREBIND_COUNTING_PROCESS || scope->leaks != NULL);
}

/// Puts a scope on the lists that other threads read.
static void list(crebind_counting_scope *scope) {
  crebind_counting_lock();
  if (scope->reach == CREBIND_COUNTING_PROCESS) {
    scope->outer_notified = notified_of_process;
    notified_of_process = scope;
  }
  if (scope->leaks != NULL) {
    scope->outer_leaking = leaking;
    leaking = scope;
    crebind_counting_leaking_scopes++;
  }
  crebind_counting_unlock();
}

/// A task that outlives its scopes may be counted by others.
static void release(crebind_counting_scope *scope) {
  crebind_reach_this_thread.suppressed++;
  if (scope->images != NULL) crebind_counting_images_free(scope->images);
  if (scope->sites != NULL) crebind_reach_free_sites(scope->sites);
  if (scope->leaks != NULL) crebind_counting_leaks_free(scope->leaks);
  munmap(scope, sizeof *scope);
  crebind_reach_this_thread.suppressed--;
}

static void release_retired(void) {
  while (retired != NULL) {
    crebind_counting_scope *next = retired->outer;
    release(retired);
    retired = next;
  }
}

static void unlist(crebind_counting_scope *scope) {
  crebind_counting_lock();
  _Atomic(crebind_counting_scope *) *link = &notified_of_process;
  while (*link != NULL && *link != scope) link = &(*link)->outer_notified;
  if (*link != NULL) *link = scope->outer_notified;
  link = &leaking;
  while (*link != NULL && *link != scope) link = &(*link)->outer_leaking;
  if (*link != NULL) *link = scope->outer_leaking;
  if (scope->leaks != NULL) crebind_counting_leaking_scopes--;
  // A call that has found it on a list is counted in full.
  scope->is_alone = crebind_counting_wait_for_epoch();
  if (scope->is_alone) release_retired();
  crebind_counting_unlock();
}

void crebind_counting_begin_notified(crebind_counting_scope *scope) {
  scope->is_simple = scope->reach == CREBIND_COUNTING_TASK && scope->outer == NULL
                     && scope->leaks != NULL && scope->images == NULL && scope->sites == NULL;
  if (scope->reach == CREBIND_COUNTING_TASK) {
    crebind_counting_find_task_runtime();
    crebind_counting_task_scopes++;
  } else if (scope->reach == CREBIND_COUNTING_THREAD) {
    scope->outer_notified = crebind_counting_this_thread.notified;
    crebind_counting_this_thread.notified = scope;
  }
  if (is_listed(scope)) list(scope);
  crebind_counting_notified_scopes++;
  crebind_counting_listening_scopes++;
}

/// The runtime frees a task, and the result that it keeps, a little later than the task ends. A scope that
/// finds leaks waits for a tenth of a second; another one as long as blocks are freed every 20 ms.
static void wait_for_frees(const crebind_counting_scope *scope) {
  if (!scope->has_tasks && !scope->finds_leaks) return;
  int64_t former = -1, count;
  int unchanged = 0;
  for (int i = 0; i < 100 && (count = crebind_counting_count_of_kept(scope)) > 0; i++) {
    unchanged = count == former ? unchanged + 1 : 0;
    former = count;
    if (unchanged == 20 && !scope->finds_leaks) return;
    crebind_counting_pause(1000000);
  }
}

void crebind_counting_end_notified(crebind_counting_scope *scope) {
  if (scope->leaks != NULL) wait_for_frees(scope);
  crebind_counting_notified_scopes--;
  crebind_counting_listening_scopes--;
  if (scope->reach == CREBIND_COUNTING_TASK) crebind_counting_task_scopes--;
  else if (scope->reach == CREBIND_COUNTING_THREAD)
    crebind_counting_this_thread.notified = scope->outer_notified;
  if (is_listed(scope)) unlist(scope);
}

void crebind_counting_free(crebind_counting_scope *scope) {
  if (!is_listed(scope) || scope->is_alone) {
    release(scope);
    return;
  }
  // A stopped call may still use the scope. Then the next scope that waits for calls frees it.
  crebind_counting_lock();
  scope->outer = retired;
  retired = scope;
  if (crebind_counting_has_empty_epochs()) release_retired();
  crebind_counting_unlock();
}
#endif
