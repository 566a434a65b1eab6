#define _GNU_SOURCE

#include "counts.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic(crebind_testing_counters *) all;
static _Atomic uint64_t shared[CREBIND_TESTING_HOOK_COUNT];

/// Takes over the counters of a thread that has ended. In a forked process all but the one that
/// forked have.
static crebind_testing_counters *take_over(int thread) {
  for (crebind_testing_counters *counters = all; counters != NULL; counters = counters->next) {
    int owner = counters->owner;
    bool has_ended =
        owner == thread || (syscall(SYS_tgkill, getpid(), owner, 0) != 0 && errno == ESRCH);
    if (has_ended && atomic_compare_exchange_strong(&counters->owner, &owner, thread))
      return counters;
  }
  return NULL;
}

static crebind_testing_counters *make(int thread) {
  // Not by malloc, which may be the function that is rebound.
  crebind_testing_counters *counters = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (counters == MAP_FAILED) return NULL;
  counters->owner = thread;
  counters->next = all;
  while (!atomic_compare_exchange_weak(&all, &counters->next, counters)) continue;
  return counters;
}

crebind_testing_counters *crebind_testing_claim_counters(void) {
  int error = errno;
  int thread = (int)syscall(SYS_gettid);
  crebind_testing_counters *counters = take_over(thread);
  if (counters == NULL) counters = make(thread);
  errno = error;
  return counters;
}

void crebind_testing_count_shared(size_t hook) { shared[hook]++; }

uint64_t crebind_testing_arrivals(const crebind_testing_hook *hook) {
  size_t index = (size_t)(hook - crebind_testing_hooks);
  uint64_t sum = shared[index];
  for (crebind_testing_counters *counters = all; counters != NULL; counters = counters->next)
    sum += counters->arrivals[index];
  return sum;
}
