/// Forked processes: what has to be kept whole when the process forks, and a sweep's child.
///
/// A child has the forking thread alone. A lock that another thread held at that moment stays locked
/// for good, so the child of a sweep runs its body and C code that takes no lock. Its parent looks at
/// its descriptors from outside, before the body and after it, while it waits.

#if defined(__linux__)
#define _GNU_SOURCE

#include "process.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;

void crebind_testing_lock(void) { pthread_mutex_lock(&registry); }

void crebind_testing_unlock(void) { pthread_mutex_unlock(&registry); }

// MARK: - A sweep's child

struct crebind_testing_exchange {
  _Atomic uint32_t phase;
  bool has_thrown;
  uint64_t calls;
  /// Those that find room.
  size_t closed_twice_count;
  int closed_twice[16];
  char error[1 << 16];
};

crebind_testing_exchange *crebind_testing_exchange_make(void) {
  void *memory = mmap(NULL, sizeof(crebind_testing_exchange), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED ? memory : NULL;
}

void crebind_testing_exchange_free(crebind_testing_exchange *exchange) {
  munmap(exchange, sizeof *exchange);
}

uint64_t crebind_testing_exchange_calls(const crebind_testing_exchange *exchange) {
  return exchange->calls;
}

const char *crebind_testing_exchange_error(const crebind_testing_exchange *exchange) {
  return exchange->has_thrown ? exchange->error : NULL;
}

int crebind_testing_exchange_closed_twice(const crebind_testing_exchange *exchange, size_t index) {
  return index < exchange->closed_twice_count ? exchange->closed_twice[index] : -1;
}

/// The exchange of this process, if it is a child.
static crebind_testing_exchange *of_child;

bool crebind_testing_is_child(void) { return of_child != NULL; }

void crebind_testing_note_closed_twice(int descriptor) {
  size_t room = sizeof of_child->closed_twice / sizeof *of_child->closed_twice;
  if (of_child->closed_twice_count < room)
    of_child->closed_twice[of_child->closed_twice_count++] = descriptor;
}

static void wait_for(_Atomic uint32_t *phase, uint32_t expected) {
  uint32_t now;
  while ((now = *phase) != expected) syscall(SYS_futex, phase, FUTEX_WAIT, now, NULL, NULL, 0);
}

static void advance(_Atomic uint32_t *phase, uint32_t next) {
  *phase = next;
  syscall(SYS_futex, phase, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/// A crash shall look the same whatever the parent has arranged for it.
static void prepare(void) {
  static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

#if defined(__GLIBC__)
static void end_child(int status, void *unused) {
  (void)unused;
  _exit(status);
}
#endif

/// Text that the parent has not written yet is the parent's, and exit(3) ends the child alone: it runs no
/// handlers of the parent's, which may delete files. musl has no way to do the latter.
static void leave_to_parent(void) {
  __fpurge(stdout);
#if defined(__GLIBC__)
  on_exit(end_child, NULL);
#endif
}

int crebind_testing_fork(crebind_testing_exchange *exchange) {
  pid_t parent = getpid();
  // So that the child does not find it held by a thread that it does not have.
  crebind_testing_lock();
  int process = fork();
  crebind_testing_unlock();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  prepare();
  leave_to_parent();
  of_child = exchange;
  wait_for(&exchange->phase, CREBIND_TESTING_RUNNING);
  return 0;
}

void crebind_testing_child_end(crebind_testing_exchange *exchange, uint64_t calls,
                               const char *error) {
  exchange->calls = calls;
  exchange->has_thrown = error != NULL;
  size_t length = 0;
  if (error != NULL)
    for (; length + 1 < sizeof exchange->error && error[length] != 0; length++)
      exchange->error[length] = error[length];
  exchange->error[length] = 0;
  advance(&exchange->phase, CREBIND_TESTING_ENDED);
  wait_for(&exchange->phase, CREBIND_TESTING_MAY_EXIT);
  _exit(0);
}

void crebind_testing_advance(crebind_testing_exchange *exchange, uint32_t phase) {
  advance(&exchange->phase, phase);
}

uint32_t crebind_testing_phase(const crebind_testing_exchange *exchange) {
  return exchange->phase;
}

/// The system call that the only thread of a process sleeps in, with its arguments and registers. The
/// line is empty if the process does not sleep, has more threads, or may not be read.
static bool read_system_call(int process, char *line, int size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE *status = fopen(path, "re");
  if (status == NULL) return false;
  int threads = 0;
  while (fgets(line, size, status) != NULL)
    if (sscanf(line, "Threads: %d", &threads) == 1) break;
  fclose(status);
  if (threads != 1) return false;
  snprintf(path, sizeof path, "/proc/%d/syscall", process);
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  bool is_read = fgets(line, size, file) != NULL;
  fclose(file);
  return is_read;
}

bool crebind_testing_is_stuck(int process, crebind_testing_sleep *sleep) {
  char line[256];
  if (!read_system_call(process, line, sizeof line)) return false;
  long number = -1;
  unsigned long arguments[4] = {0};
  if (sscanf(line, "%ld %lx %lx %lx %lx", &number, &arguments[0], &arguments[1], &arguments[2],
             &arguments[3])
          != 5
      || number != SYS_futex)
    return false;
  int operation = (int)arguments[1] & FUTEX_CMD_MASK;
  // A lock of the process's own, without a time limit: no other thread can open it.
  bool waits_for_ever = (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
                        && ((int)arguments[1] & FUTEX_PRIVATE_FLAG) != 0 && arguments[3] == 0;
  if (!waits_for_ever) return false;
  // The same sleep as when it was looked at before.
  bool is_same = strcmp(line, sleep->line) == 0;
  memcpy(sleep->line, line, sizeof line);
  return is_same;
}
#endif
