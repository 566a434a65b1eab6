#include "thread-counts.h"

_Atomic bool crebind_counting_is_counted[CREBIND_COUNTING_FUNCTION_COUNT];

__thread crebind_counting_thread crebind_counting_this_thread;
crebind_reach_blocks crebind_counting_blocks;

crebind_counting_block *crebind_counting_claim(void) {
  static crebind_counting_block for_all;
  static _Atomic uint32_t numbers;
  // mmap may be rebound, to a function that allocates.
  crebind_reach_this_thread.suppressed++;
  crebind_counting_block *block =
      (crebind_counting_block *)crebind_reach_claim(&crebind_counting_blocks, sizeof *block);
  crebind_reach_this_thread.suppressed--;
  if (block == NULL) return &for_all;
  if (block->number == 0) block->number = ++numbers;
  crebind_counting_this_thread.block = block;
  return block;
}

void crebind_counting_suppress_begin(void) { crebind_reach_this_thread.suppressed++; }

void crebind_counting_suppress_end(void) { crebind_reach_this_thread.suppressed--; }
