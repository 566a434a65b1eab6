/// The counters of all functions.

#if defined(__linux__) && !defined(CREBIND_COUNTING_COUNTERS_H)
#define CREBIND_COUNTING_COUNTERS_H

#include "thread-counts.h"

/// Slots are pointed at these, by function.
extern CREBIND_COUNTING_HIDDEN void *const
    crebind_counting_counters[CREBIND_COUNTING_FUNCTION_COUNT];

#endif
