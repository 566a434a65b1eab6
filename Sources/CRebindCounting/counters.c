#if defined(__linux__)
#include "counters.h"

// Each counter has the type of its function. Only its address is needed here.
#define DECLARE(constant, group, total, symbol) \
  CREBIND_COUNTING_HIDDEN extern void crebind_counter_##symbol(void);
CREBIND_COUNTED_FUNCTIONS(DECLARE)

#define COUNTER(constant, group, total, symbol) (void *)crebind_counter_##symbol,

void *const crebind_counting_counters[CREBIND_COUNTING_FUNCTION_COUNT] = {
    CREBIND_COUNTED_FUNCTIONS(COUNTER)};
#endif
