/// The choice of what a call that arrives at a stub reaches.
///
/// Three lists hold the scopes that may be meant: the task's, the thread's and the
/// hook's own for the process. Each is in the order of age, so merging them gives
/// the scopes from the youngest to the oldest, as they are nested. A scope of many
/// hooks stands once in the list of a task or thread.
///
/// Everything here may run inside malloc, or inside whatever else is rebound. So the
/// thread's calls are suppressed first, and nothing is allocated or locked.

#if defined(__linux__)
#include "select.h"
#include "counts.h"
#include "scope.h"
#include "thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

typedef struct cursors {
  /// The hook's index.
  size_t hook;
  uint64_t below;
  /// The lists of the task and of the thread, and that of the hook.
  crebind_testing_scope *_Nullable lists[2];
  crebind_testing_member *_Nullable process;
} cursors;

/// The first scope from `scope` on that is meant.
static crebind_testing_scope *skip(const cursors *cursors, crebind_testing_scope *scope) {
  while (scope != NULL
         && (!crebind_testing_is_on(scope, cursors->hook) || scope->serial >= cursors->below
             || scope->ended))
    scope = scope->outer;
  return scope;
}

static crebind_testing_member *skip_members(const cursors *cursors,
                                            crebind_testing_member *member) {
  while (member != NULL && (member->scope->serial >= cursors->below || member->scope->ended))
    member = member->outer;
  return member;
}

static crebind_testing_scope *next(cursors *cursors) {
  cursors->process = skip_members(cursors, cursors->process);
  crebind_testing_scope *youngest = cursors->process != NULL ? cursors->process->scope : NULL;
  for (int i = 0; i < 2; i++) {
    cursors->lists[i] = skip(cursors, cursors->lists[i]);
    if (cursors->lists[i] != NULL
        && (youngest == NULL || cursors->lists[i]->serial > youngest->serial))
      youngest = cursors->lists[i];
  }
  if (youngest != NULL) cursors->below = youngest->serial;
  return youngest;
}

static bool is_calling_original(const crebind_testing_thread *thread,
                                const crebind_testing_hook *hook) {
  for (const crebind_testing_frame *frame = thread->frame; frame != NULL; frame = frame->previous)
    if (frame->hook == hook) return true;
  return false;
}

/// A call has arrived, whoever is reached. The thread's calls are suppressed.
static void count_arrival(crebind_testing_thread *thread, size_t index) {
  if (thread->counters == NULL) thread->counters = crebind_testing_claim_counters();
  if (thread->counters == NULL) {
    crebind_testing_count_shared(index);
    return;
  }
  _Atomic uint64_t *count = &thread->counters->arrivals[index];
  atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

static void wait(uint64_t nanoseconds) {
  int error = errno;
  struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) continue;
  errno = error;
}

/// Whether a scope shall see a call that it reaches.
static bool counts_call(crebind_testing_scope *scope, const crebind_testing_call *call,
                        bool resuming) {
  bool is_spared =
      scope->spared != NULL && crebind_reach_has_code(scope->spared, call->caller);
  // A call that goes on to an original has been counted when it arrived.
  if (!resuming)
    crebind_testing_count(scope, is_spared ? CREBIND_TESTING_SPARED : CREBIND_TESTING_REACHED);
  return !is_spared;
}

void *crebind_testing_select(crebind_stub *data, uint64_t *registers, const void **return_address,
                             bool resuming) {
  crebind_testing_hook *hook = (crebind_testing_hook *)data;
  crebind_testing_thread *thread = &crebind_testing_this_thread;
  if (crebind_reach_this_thread.suppressed != 0) return data->original;
  const void *stub = data->code, *caller = crebind_stubs_caller(*return_address);
  if (crebind_reach_this_thread.callee == stub) {
    caller = crebind_reach_this_thread.caller;
    crebind_reach_this_thread.callee = NULL;
  }
  if (!resuming && is_calling_original(thread, hook)) return data->original;
  crebind_reach_this_thread.suppressed = 1;
  size_t index = crebind_stubs_index(data);
  if (!resuming) count_arrival(thread, index);

  crebind_stubs_pending *pending = NULL;
  crebind_testing_call call = {.hook = hook,
                               .registers = registers,
                               .caller = caller,
                               .return_address = return_address,
                               .pending = &pending};
  cursors cursors = {.hook = index, .below = resuming ? thread->frame->serial : UINT64_MAX};
  cursors.lists[0] = crebind_testing_task_scopes();
  cursors.lists[1] = thread->scopes;
  bool reads_process = hook->process != NULL;
  if (reads_process) {
    hook->readers++;
    cursors.process = hook->process;
  }

  if (!resuming && hook->watch != NULL) hook->watch(&call);
  void *code = NULL;
  crebind_testing_scope *scope = NULL;
  while (code == NULL && (scope = next(&cursors)) != NULL)
    if (counts_call(scope, &call, resuming)) code = scope->decide(scope, &call);
  if (scope != NULL && !resuming) {
    // Older scopes reach the call too, whatever becomes of it.
    crebind_testing_scope *older;
    while ((older = next(&cursors)) != NULL) counts_call(older, &call, false);
  }

  bool is_handler = scope != NULL && scope->is_handler;
  if (is_handler && scope->reaches_process) scope->calls++;
  if (reads_process) hook->readers--;
  if (thread->delay != 0) {
    uint64_t delay = thread->delay;
    thread->delay = 0;
    wait(delay);
  }
  // The handler ends this when it returns: libffi is between here and there.
  if (!is_handler) crebind_reach_this_thread.suppressed = 0;
  crebind_reach_this_thread.answered = code != NULL ? stub : NULL;
  if (code != NULL) return code;
  if (pending != NULL) {
    // The original returns to a trampoline, which would be taken for the caller.
    crebind_reach_this_thread.callee = data->original;
    crebind_reach_this_thread.caller = caller;
  }
  return data->original;
}

crebind_testing_scope *crebind_testing_innermost(const crebind_testing_hook *hook,
                                                 uint64_t serial) {
  cursors cursors = {.hook = crebind_stubs_index(&hook->stub), .below = serial};
  cursors.lists[0] = crebind_testing_task_scopes();
  cursors.lists[1] = crebind_testing_this_thread.scopes;
  cursors.process = hook->process;
  return next(&cursors);
}
#endif
