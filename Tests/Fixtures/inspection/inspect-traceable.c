// Runs a program at which every process may look. Yama lets only its ancestors do so by default.

#include "check.h"

#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **arguments) {
  CHECK(count >= 2);
  // It fails where no Yama is, which is as good.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  execv(arguments[1], arguments + 1);
  perror(arguments[1]);
  return 127;
}
