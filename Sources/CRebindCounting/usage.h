/// The memory that a scope's blocks take.
///
/// Two calls at the same time may miss each other's blocks in the peak. The first call that frees one of these blocks
/// sees both, so that the sum is compared with the peak before a block goes, too.

#if defined(__linux__) && !defined(CREBIND_COUNTING_USAGE_H)
#define CREBIND_COUNTING_USAGE_H

#include "thread-counts.h"

/// The bytes in blocks, now and at most.
typedef struct crebind_counting_usage {
  _Atomic int64_t live, peak;
} crebind_counting_usage;

static inline void crebind_counting_change_usage(crebind_counting_usage *usage, int64_t bytes) {
  int64_t live = atomic_fetch_add_explicit(&usage->live, bytes, memory_order_relaxed);
  crebind_counting_raise(&usage->peak, bytes > 0 ? live + bytes : live);
}

#endif
