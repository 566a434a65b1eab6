/// Each thread has a block to itself. A later thread goes on with that of one that has ended. In a
/// forked process nobody takes that of the thread that forked.

#include "steps.h"
#include "CRebindReach.h"

#include <sched.h>

typedef struct block {
  crebind_reach_block head;
  int value;
} block;

static crebind_reach_blocks blocks;

static void *claim(void *number) {
  if (number != NULL) *(pid_t *)number = (pid_t)syscall(SYS_gettid);
  return crebind_reach_claim(&blocks, sizeof(block));
}

static block *claim_in_thread(void) {
  pid_t number;
  void *result = JOIN(START(claim, &number));
  // The kernel has it a little longer.
  while (syscall(SYS_tgkill, getpid(), number, 0) == 0) sched_yield();
  return result;
}

int main(void) {
  block *own = claim(NULL);
  CHECK(own != NULL && own->value == 0);
  CHECK(claim(NULL) == own);

  block *other = claim_in_thread();
  CHECK(other != NULL && other != own);
  other->value = 7;
  block *again = claim_in_thread();
  CHECK(again == other && again->value == 7);

  pid_t child = fork();
  if (child == 0) {
    block *of_child = claim_in_thread();
    _exit(of_child != NULL && of_child != own && of_child != other ? 0 : 1);
  }
  WAIT_FOR(child);
  printf("each thread had a block of its own\n");
  return 0;
}
