/// A library, with -DLIBRARY, interposes the C library's `syscall` as libuid_wrapper
/// does: with a mutex that it holds over fork. The core, whose own fork handler runs
/// inside of that, does not call it, nor does any of its functions.

#include "steps.h"

#include <stdarg.h>

#ifdef LIBRARY
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int interposed_calls;

long syscall(long number, ...) {
  (void)number;
  pthread_mutex_lock(&mutex);
  interposed_calls++;
  pthread_mutex_unlock(&mutex);
  return -1;
}

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
void hold_over_fork(void) { pthread_atfork(lock, unlock, unlock); }

#else
extern int interposed_calls;
void hold_over_fork(void);

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1; }

static void rebind(pid_t parent) {
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
  CHECK(getppid() == parent + 1);
  CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK);
  RESTORE(handle);
  CHECK(getppid() == parent);
}

int main(void) {
  CHECK(syscall(SYS_getpid) == -1 && interposed_calls == 1);
  hold_over_fork();  // last, so that it is the first to prepare
  rebind(getppid());
  pid_t own = getpid(), child = fork();
  if (child == 0) {
    rebind(own);
    _exit(interposed_calls == 1 ? 0 : 1);
  }
  WAIT_FOR(child);
  CHECK(interposed_calls == 1);
  printf("forked without it\n");
}
#endif
