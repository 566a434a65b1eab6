/// A signal handler forks while its own thread applies and restores: the fork returns in
/// both, the child can exec, and the parent goes on. With another thread that rebinds, too.

#include "steps.h"

#include <sys/time.h>

/// How many forks.
static int limit;

static const char *program;
static volatile sig_atomic_t children, in_call;
static atomic_bool is_done;

static pid_t (*originals[2])(void);
static pid_t hook0(void) { return __atomic_load_n(&originals[0], __ATOMIC_ACQUIRE)(); }
static pid_t hook1(void) { return __atomic_load_n(&originals[1], __ATOMIC_ACQUIRE)(); }

static void fork_once(int signal) {
  (void)signal;
  int saved_errno = errno;
  pid_t child = fork();
  if (child == 0) {
    if (children % 2 == 0) execl(program, program, "child", (char *)NULL);
    _exit(3);
  }
  int status;
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
  if (child < 0 || ended != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3) abort();
  children += in_call;
  errno = saved_errno;
}

static void rebind(int which) {
  in_call += which == 0;
  RESTORE(REBIND("getppid", which == 0 ? hook0 : hook1, &originals[which], NULL, NULL));
  in_call -= which == 0;
}

static void *keep_rebinding(void *unused) {
  while (!atomic_load(&is_done)) rebind(1);
  return unused;
}

static void work(void) {
  children = 0;
  const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  CHECK(setitimer(ITIMER_PROF, &often, NULL) == 0);
  while (children < limit) rebind(0);
  CHECK(setitimer(ITIMER_PROF, &never, NULL) == 0);
}

int main(int argc, char *argv[]) {
  if (argc == 2 && strcmp(argv[1], "child") == 0) return 3;
  program = argv[0];
  CHECK(argc == 2);
  limit = atoi(argv[1]);
  pid_t parent = getppid();
  struct sigaction action = {.sa_handler = fork_once, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGPROF, &action, NULL) == 0);
  work();
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPROF);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  pthread_t thread = START(keep_rebinding, NULL);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
  work();
  atomic_store(&is_done, true);
  JOIN(thread);
  CHECK(getppid() == parent);

  // A child of a fork that interrupts nothing can rebind still.
  IN_CHILD rebind(0);
  printf("every fork returned\n");
}
