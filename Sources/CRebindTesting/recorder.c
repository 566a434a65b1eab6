/// Scopes that report calls and let them go on.

#include "scope.h"

typedef struct recorder_scope {
  crebind_testing_scope scope;
  crebind_testing_recorder *recorder;
  void *context;
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
  crebind_testing_count(scope, CREBIND_TESTING_STRUCK);
  self->recorder(self->context, call->registers);
  return NULL;
}

crebind_testing_scope *crebind_testing_recorder_scope(crebind_testing_hook *hook,
                                                      crebind_testing_recorder *recorder,
                                                      void *context) {
  recorder_scope *scope = crebind_testing_scope_make(sizeof *scope, hook, decide);
  if (scope == NULL) return NULL;
  scope->recorder = recorder;
  scope->context = context;
  return &scope->scope;
}
