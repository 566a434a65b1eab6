/// Keeps a forked child usable.
///
/// It has only the thread that forked: with the lock taken, no other one is in the
/// middle of a change, or holds the loader's lock for us. What others were at
/// without the lock, nobody is any more.
///
/// A signal handler may fork in the middle of a change on its own thread, which cannot be
/// waited for: that child is left as it is, and may only exec or exit.

#define _GNU_SOURCE
#include "ask.h"
#include "next.h"
#include "notice.h"
#include "observe.h"
#include "records.h"
#include "runtime.h"
#include "thread.h"

#include <pthread.h>
#include <sys/syscall.h>

static int parent;

static int own_number(void) { return (int)crebind_system_call(SYS_gettid); }

static void before_fork(void) {
  if (crebind_thread.is_locking) {
    crebind_thread.interrupting_forks++;
    return;
  }
  crebind_lock();
  parent = own_number();
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
  crebind_observers_forked(parent);
  crebind_notice_forked();
  crebind_next_forked();
  crebind_questions_forked();
  crebind_unlock();
}

void crebind_handle_forks(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
