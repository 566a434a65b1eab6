/// Scopes that report calls, let them go on, and report what they return.

#if defined(__linux__)
#include "ends.h"
#include "scope.h"

#include <sys/syscall.h>
#include <unistd.h>

typedef struct recorder_scope {
  crebind_testing_scope scope;
  crebind_testing_recorder *recorder;
  crebind_testing_observer *observer;
  void *context;
  crebind_reach_code runtime;
} recorder_scope;

size_t crebind_testing_register_count(void) {
#if defined(__aarch64__)
  return 8;
#else
  return 6;
#endif
}

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  recorder_scope *self = (recorder_scope *)scope;
  crebind_testing_strike(scope, call);
  crebind_testing_record record = {
      .registers = call->registers,
      .caller = call->caller,
      .thread = (int)syscall(SYS_gettid),
      .task = crebind_reach_task_number(),
      .is_of_runtime = crebind_reach_has_code(&self->runtime, call->caller),
  };
  for (size_t i = 0; i < 8; i++)
    record.numbers[i] = call->registers[CREBIND_STUBS_NUMBERS / 8 + 2 * i];
  uint64_t number = self->recorder(self->context, &record);
  if (self->observer != NULL && crebind_testing_observe(call, scope, number)
      && scope->reaches_process)
    scope->calls++;
  return NULL;
}

static void observe(crebind_testing_scope *scope, uint64_t number,
                    const crebind_testing_outcome *outcome) {
  recorder_scope *self = (recorder_scope *)scope;
  self->observer(self->context, number, outcome);
  if (scope->reaches_process) scope->calls--;
}

crebind_testing_scope *crebind_testing_recorder_scope(crebind_testing_hook *hook,
                                                      crebind_testing_recorder *recorder,
                                                      crebind_testing_observer *observer,
                                                      void *context, bool marks_libraries) {
  recorder_scope *scope = crebind_testing_scope_make(sizeof *scope, &hook, 1, decide);
  if (scope == NULL) return NULL;
  scope->scope.observe = observe;
  scope->recorder = recorder;
  scope->observer = observer;
  scope->context = context;
  crebind_testing_find_libraries(&scope->runtime, marks_libraries ? CREBIND_TESTING_BUILT_ON_RUNTIME
                                                                  : CREBIND_TESTING_RUNTIME);
  return &scope->scope;
}
#endif
