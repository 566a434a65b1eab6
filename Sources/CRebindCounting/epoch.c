#if defined(__linux__)
#include "epoch.h"

#include <time.h>

void crebind_counting_pause(long nanoseconds) {
  struct timespec time = {.tv_nsec = nanoseconds};
  crebind_reach_this_thread.suppressed++;
  nanosleep(&time, NULL);
  crebind_reach_this_thread.suppressed--;
}

/// The blocks of all threads, and last the one of those that have none.
static crebind_counting_block *first(void) {
  crebind_counting_block *block = (crebind_counting_block *)crebind_counting_blocks;
  return block != NULL ? block : &crebind_counting_shared_block;
}

static crebind_counting_block *next(const crebind_counting_block *block) {
  if (block == &crebind_counting_shared_block) return NULL;
  return block->head.next != NULL ? (crebind_counting_block *)block->head.next
                                  : &crebind_counting_shared_block;
}

/// Notes the calls to be waited for. Later calls of the same thread are others.
static void note_readings(void) {
  for (crebind_counting_block *block = first(); block != NULL; block = next(block)) {
    block->awaited = block->readings;
    block->is_awaited = block->reading != 0;
  }
}

static bool have_ended(void) {
  for (crebind_counting_block *block = first(); block != NULL; block = next(block)) {
    if (!block->is_awaited) continue;
    if (block->reading != 0 && block->readings == block->awaited) return false;
    block->is_awaited = false;
  }
  return true;
}

bool crebind_counting_wait_for_epoch(void) {
  note_readings();
  for (int patience = 2000; !have_ended(); patience--) {
    if (patience == 0) return false;
    crebind_counting_pause(50000);
  }
  return true;
}

bool crebind_counting_has_empty_epochs(void) {
  for (crebind_counting_block *block = first(); block != NULL; block = next(block))
    if (block->reading != 0) return false;
  return true;
}

void crebind_counting_forget_epochs(void) {
  for (crebind_counting_block *block = first(); block != NULL; block = next(block))
    if (block != crebind_counting_this_thread.block) block->reading = 0;
  crebind_counting_shared_block.reading = crebind_counting_this_thread.shared_readings;
}
#endif
