#include "epoch.h"

#include <time.h>

/// Changes with each wait. Later calls count in the other number, so the wait ends though new calls keep
/// coming.
static _Atomic unsigned epoch;
static _Atomic uint32_t readers[2];
/// The readers of this thread: more than one if a signal handler interrupts a call.
static __thread uint32_t own_readers[2] __attribute__((tls_model("initial-exec")));

unsigned crebind_counting_enter_epoch(void) {
  for (;;) {
    unsigned now = epoch, parity = now & 1;
    own_readers[parity]++;
    readers[parity]++;
    if (epoch == now) return parity;
    // A thread waits already, and may have missed this call.
    crebind_counting_leave_epoch(parity);
  }
}

void crebind_counting_leave_epoch(unsigned parity) {
  readers[parity]--;
  own_readers[parity]--;
}

void crebind_counting_pause(long nanoseconds) {
  struct timespec time = {.tv_nsec = nanoseconds};
  crebind_reach_this_thread.suppressed++;
  nanosleep(&time, NULL);
  crebind_reach_this_thread.suppressed--;
}

/// \param patience How often to look again.
static bool have_ended(unsigned parity, int *patience) {
  while (readers[parity] != 0) {
    if ((*patience)-- == 0) return false;
    crebind_counting_pause(50000);
  }
  return true;
}

bool crebind_counting_wait_for_epoch(void) {
  int patience = 2000;
  unsigned parity = epoch & 1;
  // A call that a former wait has given up may go on from its scope to an older one.
  if (!have_ended(1 - parity, &patience)) return false;
  epoch++;
  return have_ended(parity, &patience);
}

bool crebind_counting_has_empty_epochs(void) { return readers[0] == 0 && readers[1] == 0; }

void crebind_counting_forget_epochs(void) {
  for (int i = 0; i < 2; i++) readers[i] = own_readers[i];
}
