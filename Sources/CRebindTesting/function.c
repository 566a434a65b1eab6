#if defined(__linux__)
#include "function.h"

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  size_t member = crebind_testing_member_of(scope, call);
  if (scope->is_answered != NULL && !scope->is_answered(scope, call, member)) return NULL;
  crebind_testing_count(scope, CREBIND_TESTING_STRUCK);
  crebind_testing_thread *thread = &crebind_testing_this_thread;
  thread->answering = scope;
  thread->answered_hook = call->hook;
  thread->answered_caller = call->caller;
  return scope->functions[member];
}

void *crebind_testing_function_scope_make(size_t size, crebind_testing_hook *const *hooks,
                                          void *const *functions, size_t count) {
  crebind_testing_scope *scope = crebind_testing_scope_make(size, hooks, count, decide);
  if (scope == NULL) return NULL;
  // The thread's calls stay suppressed until the function ends that.
  scope->is_handler = true;
  scope->functions = functions;
  return scope;
}

void crebind_testing_begin_answer(crebind_testing_answer *answer) {
  const crebind_testing_thread *thread = &crebind_testing_this_thread;
  answer->scope = thread->answering;
  answer->hook = thread->answered_hook;
  answer->caller = thread->answered_caller;
}

void crebind_testing_end_answer(const crebind_testing_answer *answer) {
  crebind_reach_this_thread.suppressed = 0;
  if (answer->scope->reaches_process) answer->scope->calls--;
}

void *crebind_testing_begin_original(crebind_testing_answer *answer) {
  crebind_testing_thread *thread = &crebind_testing_this_thread;
  answer->frame = (crebind_testing_frame){answer->hook, answer->scope->serial, thread->frame};
  thread->frame = &answer->frame;
  crebind_reach_this_thread.suppressed = 0;
  return (void *)answer->hook->stub.resuming_code;
}

void crebind_testing_end_original(const crebind_testing_answer *answer) {
  crebind_reach_this_thread.suppressed = 1;
  crebind_testing_this_thread.frame = answer->frame.previous;
}
#endif
