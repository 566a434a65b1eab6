/// A scope's life.

#if defined(__linux__)
#include "scope.h"
#include "counts.h"
#include "thread.h"

#include <stdlib.h>

void *crebind_testing_scope_make(size_t size, crebind_testing_hook *const *hooks, size_t count,
                                 crebind_testing_decide *decide) {
  crebind_testing_scope *scope = calloc(1, size);
  if (scope == NULL) return NULL;
  scope->decide = decide;
  scope->members = calloc(count, sizeof *scope->members);
  if (scope->members == NULL) {
    free(scope);
    return NULL;
  }
  scope->member_count = count;
  for (size_t i = 0; i < count; i++) {
    size_t index = crebind_stubs_index(&hooks[i]->stub);
    scope->members[i].scope = scope;
    scope->members[i].hook = hooks[i];
    scope->hooks[index / 64] |= 1ull << index % 64;
  }
  return scope;
}

bool crebind_testing_is_busy(const crebind_testing_scope *scope) { return scope->calls != 0; }

void crebind_testing_count(crebind_testing_scope *scope, crebind_testing_count_kind kind) {
  // The thread's place in memory tells threads apart: its lowest bits are the same for all.
  size_t shard = ((uintptr_t)&crebind_testing_this_thread >> 12) % CREBIND_TESTING_SHARDS;
  scope->shards[shard].counts[kind]++;
}

/// The code of the testing libraries, which run tests and call functions on their tasks. Written once.
static crebind_reach_code testing_libraries;

void crebind_testing_meet(const crebind_testing_scope *scope, const void *caller) {
  if (scope->meet != NULL && crebind_reach_task_number() != 0
      && !crebind_reach_has_code(&testing_libraries, caller))
    scope->meet(scope->meeting);
}

void crebind_testing_strike(crebind_testing_scope *scope, const crebind_testing_call *call) {
  crebind_testing_count(scope, CREBIND_TESTING_STRUCK);
  crebind_testing_meet(scope, call->caller);
}

void crebind_testing_set_meeting(crebind_testing_scope *scope, void (*meet)(void *context),
                                 void *context) {
  if (testing_libraries.count == 0)
    crebind_testing_find_libraries(&testing_libraries, CREBIND_TESTING_TESTING);
  scope->meet = meet;
  scope->meeting = context;
}

crebind_testing_counts crebind_testing_counts_of(const crebind_testing_scope *scope) {
  uint64_t sums[3] = {0};
  for (size_t i = 0; i < CREBIND_TESTING_SHARDS; i++)
    for (size_t kind = 0; kind < 3; kind++) sums[kind] += scope->shards[i].counts[kind];
  uint64_t after = scope->ended
                       ? scope->arrivals_after
                       : crebind_testing_arrivals(scope->members, scope->member_count);
  uint64_t arrivals = after - scope->arrivals_before;
  uint64_t seen = sums[CREBIND_TESTING_REACHED] + sums[CREBIND_TESTING_SPARED];
  return (crebind_testing_counts){
      .in_reach = sums[CREBIND_TESTING_REACHED],
      // A call under way may be counted in one place already, and in the other not yet.
      .out_of_reach = arrivals > seen ? arrivals - seen : 0,
      .struck = sums[CREBIND_TESTING_STRUCK],
      .spared = sums[CREBIND_TESTING_SPARED],
  };
}

void crebind_testing_free(crebind_testing_scope *scope) {
  if (scope->destroy != NULL) scope->destroy(scope);
  free(scope->members);
  free(scope);
}
#endif
