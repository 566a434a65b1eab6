// A preloaded library in front of libc.

#include <unistd.h>

pid_t getppid(void) { return 1; }

/// Nobody else defines it.
int hook_of_its_own(void) { return 2; }
