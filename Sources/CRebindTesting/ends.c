/// The scopes that observe the end of a call.

#if defined(__linux__)
#include "ends.h"
#include "CRebindReach.h"

#include <errno.h>

/// The stub keeps them with the call.
typedef struct observers {
  const void *caller, *place;
  uint64_t count;
  struct {
    crebind_testing_scope *scope;
    uint64_t number;
  } list[4];
} observers;

_Static_assert(sizeof(observers) <= sizeof((crebind_stubs_pending *)0)->data, "a call has no more room");

static observers *of(crebind_stubs_pending *pending) { return (observers *)pending->data; }

static void tell(crebind_stubs_pending *pending, uint64_t *results) {
  // First of all, as errno is a call, and so may be the filling of a structure.
  uint32_t suppressed = crebind_reach_this_thread.suppressed;
  crebind_reach_this_thread.suppressed = 1;
  crebind_testing_outcome outcome = {
      .word = results[0], .number = results[CREBIND_STUBS_NUMBERS / 8], .error = errno,
      .caller = of(pending)->caller, .place = of(pending)->place};
  for (uint64_t i = 0; i < of(pending)->count; i++) {
    crebind_testing_scope *scope = of(pending)->list[i].scope;
    scope->observe(scope, of(pending)->list[i].number, &outcome);
  }
  errno = outcome.error;
  crebind_reach_this_thread.suppressed = suppressed;
}

bool crebind_testing_observe(const crebind_testing_call *call, crebind_testing_scope *scope,
                             uint64_t number) {
  if (*call->pending == NULL) {
    *call->pending = crebind_stubs_await(call->return_address, tell);
    if (*call->pending == NULL) return false;
    of(*call->pending)->caller = call->caller;
    of(*call->pending)->place = call->return_address;
    of(*call->pending)->count = 0;
  }
  observers *observers = of(*call->pending);
  if (observers->count == sizeof observers->list / sizeof *observers->list) return false;
  observers->list[observers->count].scope = scope;
  observers->list[observers->count++].number = number;
  return true;
}

bool crebind_testing_is_observed(const crebind_testing_call *call,
                                 crebind_testing_decide *decide) {
  for (uint64_t i = 0; *call->pending != NULL && i < of(*call->pending)->count; i++)
    if (of(*call->pending)->list[i].scope->decide == decide) return true;
  return false;
}
#endif
