#include <unistd.h>

pid_t call_through_library(void) {
  pid_t (*volatile function)(void) = getppid;
  return function();
}
