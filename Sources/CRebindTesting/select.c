/// The choice of what a call that arrives at a stub reaches.
///
/// Three lists hold the scopes that may be meant: the task's, the thread's and the
/// hook's own for the process. Each is in the order of age, so merging them gives
/// the scopes from the youngest to the oldest, as they are nested.
///
/// Everything here may run inside malloc, or inside whatever else is rebound. So the
/// thread's calls are suppressed first, and nothing is allocated or locked.

#include "hook.h"
#include "scope.h"
#include "thread.h"

typedef struct cursors {
  const crebind_testing_hook *hook;
  uint64_t below;
  crebind_testing_scope *_Nullable lists[3];
} cursors;

/// The first scope from `scope` on that is meant.
static crebind_testing_scope *skip(const cursors *cursors, crebind_testing_scope *scope) {
  while (scope != NULL
         && (scope->hook != cursors->hook || scope->serial >= cursors->below || scope->ended))
    scope = scope->outer;
  return scope;
}

static crebind_testing_scope *next(cursors *cursors) {
  crebind_testing_scope *youngest = NULL;
  for (int i = 0; i < 3; i++) {
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

/// Called by the stubs.
///
/// \param resuming The call is the innermost frame's original.
__attribute__((visibility("hidden")))
void *crebind_testing_select(crebind_testing_hook *hook, const uint64_t *registers,
                             const void *caller, bool resuming) {
  crebind_testing_thread *thread = &crebind_testing_this_thread;
  if (thread->suppressed != 0) return hook->original;
  if (!resuming && is_calling_original(thread, hook)) return hook->original;
  thread->suppressed = 1;

  crebind_testing_call call = {.registers = registers, .caller = caller};
  cursors cursors = {.hook = hook, .below = resuming ? thread->frame->serial : UINT64_MAX};
  cursors.lists[0] = crebind_testing_task_scopes();
  cursors.lists[1] = thread->scopes;
  bool reads_process = hook->process != NULL;
  if (reads_process) {
    hook->readers++;
    cursors.lists[2] = hook->process;
  }

  void *code = NULL;
  crebind_testing_scope *scope = NULL;
  while (code == NULL && (scope = next(&cursors)) != NULL) code = scope->decide(scope, &call);

  bool is_handler = scope != NULL && scope->is_handler;
  if (is_handler && scope->reaches_process) scope->calls++;
  if (reads_process) hook->readers--;
  // The handler ends this when it returns: libffi is between here and there.
  if (!is_handler) thread->suppressed = 0;
  return code != NULL ? code : hook->original;
}
