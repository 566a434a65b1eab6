/// Keeps a forked child usable.
///
/// It has only the thread that forked: with the lock taken, no other one is in the
/// middle of a change, or holds the loader's lock for us. What others were at
/// without the lock, nobody is any more.

#define _GNU_SOURCE
#include "ask.h"
#include "next.h"
#include "notice.h"
#include "observe.h"
#include "records.h"
#include "runtime.h"

#include <pthread.h>
#include <sys/syscall.h>

static int parent;

static int own_number(void) { return (int)crebind_system_call(SYS_gettid); }

static void before_fork(void) {
  crebind_lock();
  parent = own_number();
}

static void after_fork_in_child(void) {
  crebind_observers_forked(parent);
  crebind_notice_forked();
  crebind_next_forked();
  crebind_questions_forked();
  crebind_unlock();
}

void crebind_handle_forks(void) {
  pthread_atfork(before_fork, crebind_unlock, after_fork_in_child);
}
