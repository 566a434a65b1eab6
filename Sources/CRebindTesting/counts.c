#if defined(__linux__)
#include "counts.h"

static crebind_reach_blocks all;
static _Atomic uint64_t shared[CREBIND_STUBS_COUNT];

crebind_testing_counters *crebind_testing_claim_counters(void) {
  return (crebind_testing_counters *)crebind_reach_claim(&all, sizeof(crebind_testing_counters));
}

void crebind_testing_count_shared(size_t hook) { shared[hook]++; }

uint64_t crebind_testing_arrivals(const crebind_testing_member *members, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    size_t index = crebind_stubs_index(&members[i].hook->stub);
    sum += shared[index];
    for (const crebind_reach_block *block = all; block != NULL; block = block->next)
      sum += ((const crebind_testing_counters *)block)->arrivals[index];
  }
  return sum;
}
#endif
