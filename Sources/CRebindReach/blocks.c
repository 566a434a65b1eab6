#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindReach.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_ended(int process, int thread) {
  return syscall(SYS_tgkill, process, thread, 0) != 0 && errno == ESRCH;
}

/// Takes over the block of a thread that has ended.
static crebind_reach_block *take_over(crebind_reach_blocks *blocks, int process, int thread) {
  for (crebind_reach_block *block = *blocks; block != NULL; block = block->next) {
    if (block->process != process) continue;
    int owner = block->owner;
    if ((owner == thread || has_ended(process, owner))
        && atomic_compare_exchange_strong(&block->owner, &owner, thread))
      return block;
  }
  return NULL;
}

static crebind_reach_block *make(crebind_reach_blocks *blocks, size_t size, int process,
                                 int thread) {
  // Not by malloc, which may be the function that is rebound.
  crebind_reach_block *block =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return NULL;
  block->owner = thread;
  block->process = process;
  block->next = *blocks;
  while (!atomic_compare_exchange_weak(blocks, &block->next, block)) continue;
  return block;
}

crebind_reach_block *crebind_reach_claim(crebind_reach_blocks *blocks, size_t size) {
  int error = errno;
  // By system calls: a test may have the functions rebound.
  int process = (int)syscall(SYS_getpid), thread = (int)syscall(SYS_gettid);
  crebind_reach_block *block = take_over(blocks, process, thread);
  if (block == NULL) block = make(blocks, size, process, thread);
  errno = error;
  return block;
}
#endif
