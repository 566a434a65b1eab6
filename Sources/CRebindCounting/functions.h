/// The originals, which the counters go on to.

#if defined(__linux__) && !defined(CREBIND_COUNTING_FUNCTIONS_H)
#define CREBIND_COUNTING_FUNCTIONS_H

#include "thread-counts.h"

/// The counters go on to these. The core writes one before any slot leads to its counter.
extern CREBIND_COUNTING_HIDDEN void *crebind_counting_originals[CREBIND_COUNTING_FUNCTION_COUNT];

/// malloc_usable_size of the allocator that is counted, or a function that gives 0 if it has none.
extern CREBIND_COUNTING_HIDDEN size_t (*crebind_counting_usable_size)(void *block);
CREBIND_COUNTING_HIDDEN size_t crebind_counting_no_size(void *block);

#endif
