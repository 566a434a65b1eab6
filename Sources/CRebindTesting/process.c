/// The state that has to be kept whole when the process is forked.

#include "CRebindTesting.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;

void crebind_testing_lock(void) { pthread_mutex_lock(&registry); }

void crebind_testing_unlock(void) { pthread_mutex_unlock(&registry); }

int crebind_testing_fork(void) {
  // So that the child does not find it held by a thread that it does not have.
  crebind_testing_lock();
  int process = fork();
  crebind_testing_unlock();
  return process;
}
