/// Defines `late`, and calls it through a library of its own.

#include <unistd.h>

#ifdef CALLER
int late(void);
int call_late(void) { return late(); }
#else
int late(void) { return 42; }
pid_t late_parent(void) { return getppid(); }
#endif
