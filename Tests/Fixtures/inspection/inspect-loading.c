// A process to be looked at that loads the library of its second argument: again and again, into a
// namespace of its own, or until SIGUSR1 comes. `starved` does the first on a processor that another
// process keeps busy.

#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *library;
static void unload(int signal) {
  (void)signal;
  dlclose(library);
}

static void share_processor(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  pid_t other = fork();
  CHECK(other >= 0);
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile int forever = 1; forever;) continue;
  }
  CHECK(nice(15) == 15);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  if (strcmp(arguments[1], "apart") == 0)
    CHECK(dlmopen(LM_ID_NEWLM, arguments[2], RTLD_NOW) != NULL);
  if (strcmp(arguments[1], "until-signal") == 0) {
    CHECK((library = dlopen(arguments[2], RTLD_NOW)) != NULL);
    CHECK(signal(SIGUSR1, unload) != SIG_ERR);
    // It may be blocked in the process that started this one.
    sigset_t signals;
    CHECK(sigemptyset(&signals) == 0 && sigaddset(&signals, SIGUSR1) == 0);
    CHECK(sigprocmask(SIG_UNBLOCK, &signals, NULL) == 0);
  }
  int is_starved = strcmp(arguments[1], "starved") == 0;
  if (is_starved) share_processor();
  CHECK(write(STDOUT_FILENO, "ready\n", 6) == 6);
  while (is_starved || strcmp(arguments[1], "forever") == 0) {
    library = dlopen(arguments[2], RTLD_NOW);
    CHECK(library != NULL);
    if (is_starved)
      for (volatile int count = 0; count < 2500000;) count += 1;
    dlclose(library);
  }
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}
