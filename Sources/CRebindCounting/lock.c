#if defined(__linux__)
#include "lock.h"
#include "epoch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Of this thread. Signal handlers read it.
static __thread volatile bool is_locking __attribute__((tls_model("initial-exec")));
/// Forks of this thread that have left the lock alone, in a handler that has interrupted its holder.
static __thread volatile unsigned interrupting_forks __attribute__((tls_model("initial-exec")));

static void begin_fork(void) {
  if (is_locking) interrupting_forks++;
  else crebind_counting_lock();
}

static void end_fork(void) {
  if (interrupting_forks > 0) interrupting_forks--;
  else crebind_counting_unlock();
}

static void begin_child(void) {
  crebind_counting_forget_epochs();
  end_fork();
}

static void keep_through_forks(void) { pthread_atfork(begin_fork, end_fork, begin_child); }

void crebind_counting_lock(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, keep_through_forks);
  // This is set first: if the lock were taken and not noted, a signal handler that forks would wait
  // for its own thread.
  is_locking = true;
  atomic_signal_fence(memory_order_seq_cst);
  pthread_mutex_lock(&mutex);
}

void crebind_counting_unlock(void) {
  pthread_mutex_unlock(&mutex);
  atomic_signal_fence(memory_order_seq_cst);
  is_locking = false;
}
#endif
