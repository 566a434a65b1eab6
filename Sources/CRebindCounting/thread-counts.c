#if defined(__linux__)
#include "thread-counts.h"

_Atomic bool crebind_counting_is_counted[CREBIND_COUNTING_FUNCTION_COUNT];

_Atomic uint32_t crebind_counting_shared_scopes, crebind_counting_process_scopes;

__thread crebind_counting_thread crebind_counting_this_thread;
crebind_reach_blocks crebind_counting_blocks;
crebind_counting_block crebind_counting_shared_block;

crebind_counting_block *crebind_counting_claim(void) {
  static _Atomic uint32_t numbers;
  // mmap may be rebound, to a function that allocates.
  crebind_reach_this_thread.suppressed++;
  crebind_counting_block *block =
      (crebind_counting_block *)crebind_reach_claim(&crebind_counting_blocks, sizeof *block);
  crebind_reach_this_thread.suppressed--;
  if (block == NULL) return &crebind_counting_shared_block;
  if (block->number == 0) block->number = ++numbers;
  // If the block's former thread has ended inside of a call, that call reads no more.
  block->reading = 0;
  crebind_counting_this_thread.block = block;
  return block;
}

void crebind_counting_suppress_begin(void) { crebind_reach_this_thread.suppressed++; }

void crebind_counting_suppress_end(void) { crebind_reach_this_thread.suppressed--; }
#endif
