#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/lock.h"
#include "runtime/futex.h"
#include "runtime/runtime.h"
#include "runtime/thread.h"

#include <pthread.h>
#include <sys/syscall.h>

/// By futex(2). 0: free; 1: held; 2: held, and someone waits.
static uint32_t mutex;

static bool take_free_lock(void) {
  uint32_t expected = 0;
  return __atomic_compare_exchange_n(&mutex, &expected, 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

/// For signal handlers of this thread alone.
static void note_locking(bool is_locking) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *(volatile bool *)&crebind_thread.is_locking = is_locking;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

bool crebind_try_lock(void) {
  if (crebind_thread.is_locking) return false;
  note_locking(true);
  bool is_taken = take_free_lock();
  if (is_taken)
    crebind_order_taking();
  else
    note_locking(false);
  return is_taken;
}

void crebind_lock(void) {
  // First: with the lock taken and not noted, a handler would wait for its own thread.
  note_locking(true);
  if (!take_free_lock())
    while (__atomic_exchange_n(&mutex, 2, __ATOMIC_ACQUIRE) != 0)
      crebind_system_call(SYS_futex, &mutex, CREBIND_FUTEX_WAIT, 2);
  crebind_order_taking();
}

void crebind_unlock(void) {
  if (__atomic_exchange_n(&mutex, 0, __ATOMIC_RELEASE) == 2)
    crebind_system_call(SYS_futex, &mutex, CREBIND_FUTEX_WAKE, 1);
  note_locking(false);
}

// MARK: - Forks

/// From constructors.
static struct crebind_fork_handler *handlers;
/// Guarded by the lock, which a fork holds: the number of the thread that forks.
static int parent;

void crebind_handle_forks(struct crebind_fork_handler *handler) {
  handler->next = handlers;
  handlers = handler;
}

static void before_fork(void) {
  if (crebind_thread.is_locking) {
    crebind_thread.interrupting_forks++;
    return;
  }
  crebind_lock();
  parent = crebind_thread_number();
}

/// True if the fork that ends is one that has left the lock alone.
static bool ends_interrupting_fork(void) {
  if (crebind_thread.interrupting_forks == 0) return false;
  crebind_thread.interrupting_forks--;
  return true;
}

static void after_fork_in_parent(void) {
  if (!ends_interrupting_fork()) crebind_unlock();
}

static void after_fork_in_child(void) {
  if (ends_interrupting_fork()) return;
  for (const struct crebind_fork_handler *handler = handlers; handler != NULL;
       handler = handler->next)
    handler->run(parent);
  crebind_unlock();
}

__attribute__((constructor(101))) static void start(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
#endif
