/// How many calls arrive at each hook, counted by each thread for itself.

#if defined(__linux__) && !defined(CREBIND_TESTING_COUNTS_H)
#define CREBIND_TESTING_COUNTS_H

#include "CRebindReach.h"
#include "hook.h"

#pragma clang assume_nonnull begin

/// One thread's counters.
typedef struct crebind_testing_counters {
  crebind_reach_block block;
  /// By hook. Only the owner writes, so that an addition need not be atomic.
  _Atomic uint64_t arrivals[CREBIND_STUBS_COUNT];
} crebind_testing_counters;

/// Gives this thread counters; NULL if memory runs out. Leaves errno alone.
crebind_testing_counters *_Nullable crebind_testing_claim_counters(void);

/// Counts a call of a thread that has no counters.
void crebind_testing_count_shared(size_t hook);

/// The calls that have arrived at the hooks of a scope so far, while they had scopes.
uint64_t crebind_testing_arrivals(const crebind_testing_member *members, size_t count);

#pragma clang assume_nonnull end

#endif
