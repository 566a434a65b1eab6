/// Scopes that find calls which block a thread while that runs a job of Swift's pool or of the main actor.
///
/// How long a call took says little: on a busy machine a thread that was preempted took long, too. So a call blocks if
/// its thread slept meanwhile, which the kernel counts as a voluntary context switch, and if that took long. Some
/// functions are there to sleep, and count by their name.
///
/// Functions that block call each other: a dispatch semaphore waits by sem_wait. The outermost call counts. A call
/// that an exception or longjmp leaves does not end. The thread's next call shows that: it lies above the former one on
/// the stack, is of another job, or the former one's return address has been written over.

#if defined(__linux__)
#define _GNU_SOURCE

#include "ends.h"
#include "runtime-images.h"
#include "scope.h"
#include "thread.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/// The most sites. They take 2 MB of addresses, and memory as they come.
#define SITES 4096

/// The most threads whose calls under way are known: the pool has one for each core.
#define THREADS 256

/// A thread's call that has not returned. One that was left stays until the thread's next call.
typedef struct under_way {
  /// NULL while the place is free.
  _Atomic(const void *) thread;
  /// NULL once the call has returned.
  _Atomic(const void *) caller;
  _Atomic uint32_t number;
  _Atomic uint64_t start;
} under_way;

typedef struct blocking_scope {
  crebind_testing_scope scope;
  crebind_testing_blocking settings;
  /// Copies, one for each member.
  crebind_testing_blocking_rule *_Nullable rules;
  crebind_reach_code dispatch, locking, icu;
  crebind_reach_sites *_Nullable sites;
  _Atomic uint64_t unseen;
  under_way under_way[THREADS];
} blocking_scope;

// MARK: - Which calls are looked at

/// The group of a system call that waits for a futex; false for any other.
static bool is_futex_wait(const blocking_scope *self, const crebind_testing_call *call,
                          bool *is_lock) {
  if (call->registers[0] != SYS_futex) return false;
  uint64_t operation = call->registers[2] & FUTEX_CMD_MASK;
  bool is_of_lock = operation == FUTEX_LOCK_PI || operation == 13; // FUTEX_LOCK_PI2
  if (!is_of_lock && operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) return false;
  *is_lock = !crebind_reach_has_code(&self->dispatch, call->caller)
             && (is_of_lock || crebind_reach_has_code(&self->locking, call->caller));
  return true;
}

/// Whether a call may block, and in which group it then is.
static bool may_block(const blocking_scope *self, crebind_testing_blocking_rule rule,
                      const crebind_testing_call *call, bool *is_lock) {
  switch (rule) {
  case CREBIND_TESTING_BLOCKS_ON_FUTEX:
    return is_futex_wait(self, call, is_lock)
           && (*is_lock ? self->settings.includes_locks : self->settings.includes_waits);
  case CREBIND_TESTING_BLOCKS_ON_CONDITION:
    // ICU waits so for another thread that makes something for the first time.
    *is_lock = crebind_reach_has_code(&self->icu, call->caller);
    return *is_lock ? self->settings.includes_locks : self->settings.includes_waits;
  // A lock of CoreFoundation's gives way by sleep(0).
  case CREBIND_TESTING_BLOCKS_FOR_TIME: return (uint32_t)call->registers[0] != 0;
  case CREBIND_TESTING_BLOCKS_FOR_CHILD: return (call->registers[2] & WNOHANG) == 0;
  case CREBIND_TESTING_BLOCKS_FOR_CHILD_OF_ID: return (call->registers[3] & WNOHANG) == 0;
  default: return true;
  }
}

// MARK: - Measuring

static uint64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static long switches(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

/// Whether another scope has begun to measure this call.
static bool is_begun(const crebind_testing_blocked *blocked, const crebind_testing_call *call) {
  return blocked->place == call->return_address && blocked->hook == call->hook
         && *call->pending != NULL;
}

/// Whether the call that was begun last has returned or was left.
static bool is_over(const crebind_testing_blocked *blocked) {
  if (blocked->place == NULL || blocked->job_number != crebind_reach_this_thread.job_number)
    return true;
#if defined(__x86_64__)
  // Until the call returns, its place on the stack has the address of a trampoline. On other machines, a callee keeps
  // its return address where it likes.
  return crebind_stubs_caller(*blocked->place) == *blocked->place;
#else
  return false;
#endif
}

/// Whether another call that may block is under way on this thread, and has made this one. A tail call has the same
/// place as its caller.
static bool is_inside(const crebind_testing_blocked *blocked, const crebind_testing_call *call) {
  const void *const *place = call->return_address;
  return (place < blocked->place || (place == blocked->place && blocked->hook != call->hook))
         && !is_over(blocked);
}

static void begin(crebind_testing_blocked *blocked, const crebind_testing_call *call) {
  blocked->place = call->return_address;
  blocked->hook = call->hook;
  blocked->job_number = crebind_reach_this_thread.job_number;
  blocked->caller = call->caller;
  blocked->start = nanoseconds();
  blocked->switches = switches();
}

/// The first scope that hears of the end measures, for all.
static void end(crebind_testing_blocked *blocked) {
  if (blocked->place == NULL) return;
  blocked->duration = nanoseconds() - blocked->start;
  blocked->place = NULL;
}

/// Asks the kernel, which takes longer than all else. So it is asked last.
static bool has_slept(const crebind_testing_blocked *blocked) {
  return switches() != blocked->switches;
}

// MARK: - Calls under way

/// This thread's place, taken if need be; NULL if none is left.
static under_way *place_of_thread(blocking_scope *self) {
  const void *thread = &crebind_testing_this_thread;
  for (size_t i = 0; i < THREADS; i++) {
    under_way *place = &self->under_way[i];
    const void *found = place->thread;
    if (found == thread
        || (found == NULL && atomic_compare_exchange_strong(&place->thread, &found, thread)))
      return place;
  }
  return NULL;
}

static void note_begin(blocking_scope *self, uint32_t number,
                       const crebind_testing_blocked *blocked) {
  under_way *place = place_of_thread(self);
  if (place == NULL) return;
  place->caller = NULL;
  place->number = number;
  place->start = blocked->start;
  place->caller = blocked->caller;
}

static void note_end(blocking_scope *self) {
  under_way *place = place_of_thread(self);
  if (place != NULL) place->caller = NULL;
}

bool crebind_testing_blocking_next(const crebind_testing_scope *scope, size_t *position,
                                   crebind_testing_under_way *call) {
  const blocking_scope *self = (const blocking_scope *)scope;
  while (*position < THREADS) {
    const under_way *place = &self->under_way[(*position)++];
    call->caller = place->caller;
    if (call->caller == NULL) continue;
    call->function = place->number;
    uint64_t start = place->start, now = nanoseconds();
    // It may have returned meanwhile, and another one may have begun, also after the clock was read.
    if (call->caller != place->caller || start != place->start || now <= start) continue;
    call->nanoseconds = now - start;
    if (call->nanoseconds > self->settings.threshold) return true;
  }
  return false;
}

// MARK: - The scope

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  blocking_scope *self = (blocking_scope *)scope;
  if ((self->settings.jobs & 1u << crebind_reach_this_thread.job) == 0) return NULL;
  size_t member = crebind_testing_member_of(scope, call);
  bool is_lock = false;
  if (!may_block(self, self->rules[member], call, &is_lock)) return NULL;
  crebind_testing_blocked *blocked = &crebind_testing_this_thread.blocked;
  bool has_begun = is_begun(blocked, call);
  if (!has_begun && is_inside(blocked, call)) return NULL;
  if (!crebind_testing_observe(call, scope, 2 * member + is_lock)) {
    self->unseen++;
    return NULL;
  }
  if (!has_begun) begin(blocked, call);
  if (scope->reaches_process) {
    scope->calls++;
    if (self->rules[member] != CREBIND_TESTING_BLOCKS_NEVER)
      note_begin(self, (uint32_t)(2 * member + is_lock), blocked);
  }
  return NULL;
}

static void observe(crebind_testing_scope *scope, uint64_t number,
                    const crebind_testing_outcome *outcome) {
  (void)outcome;
  blocking_scope *self = (blocking_scope *)scope;
  crebind_testing_blocked *blocked = &crebind_testing_this_thread.blocked;
  end(blocked);
  if (scope->reaches_process) note_end(self);
  bool is_found = false;
  switch (self->rules[number / 2]) {
  case CREBIND_TESTING_BLOCKS_ALWAYS:
  case CREBIND_TESTING_BLOCKS_FOR_TIME:
  case CREBIND_TESTING_BLOCKS_FOR_CHILD:
  case CREBIND_TESTING_BLOCKS_FOR_CHILD_OF_ID: is_found = true; break;
  case CREBIND_TESTING_BLOCKS_NEVER: break;
  case CREBIND_TESTING_BLOCKS_IF_IT_SLEPT: is_found = has_slept(blocked); break;
  case CREBIND_TESTING_BLOCKS_IF_LONG:
  case CREBIND_TESTING_BLOCKS_ON_CONDITION:
  case CREBIND_TESTING_BLOCKS_ON_FUTEX:
    is_found = blocked->duration > self->settings.threshold && has_slept(blocked);
    break;
  }
  if (is_found)
    crebind_reach_note_call(self->sites, (uint32_t)number, blocked->caller, NULL,
                            blocked->duration);
  if (scope->reaches_process) scope->calls--;
}

static void destroy(crebind_testing_scope *scope) {
  blocking_scope *self = (blocking_scope *)scope;
  free(self->rules);
  if (self->sites != NULL) crebind_reach_free_sites(self->sites);
}

crebind_testing_scope *
crebind_testing_blocking_scope(crebind_testing_hook *const *hooks,
                               const crebind_testing_blocking_rule *rules, size_t count,
                               crebind_testing_blocking settings) {
  blocking_scope *scope = crebind_testing_scope_make(sizeof *scope, hooks, count, decide);
  if (scope == NULL) return NULL;
  scope->scope.destroy = destroy;
  scope->scope.observe = observe;
  scope->settings = settings;
  scope->rules = calloc(count, sizeof *rules);
  scope->sites = crebind_reach_make_sites(SITES);
  if (scope->rules == NULL || scope->sites == NULL) {
    crebind_testing_free(&scope->scope);
    return NULL;
  }
  memcpy(scope->rules, rules, count * sizeof *rules);
  crebind_testing_find_libraries(&scope->dispatch, CREBIND_TESTING_DISPATCH);
  crebind_testing_find_libraries(&scope->locking, CREBIND_TESTING_LOCKING);
  crebind_testing_find_libraries(&scope->icu, CREBIND_TESTING_ICU);
  return &scope->scope;
}

crebind_reach_sites *crebind_testing_blocking_sites(const crebind_testing_scope *scope) {
  return ((const blocking_scope *)scope)->sites;
}

uint64_t crebind_testing_blocking_unseen(const crebind_testing_scope *scope) {
  return ((const blocking_scope *)scope)->unseen;
}
#endif
