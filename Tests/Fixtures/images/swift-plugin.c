/// A library to look at. It has a jump slot that is bound lazily, a glob dat, an absolute slot with
/// an addend, a weak reference that nothing defines, and a constructor's trace.

#include <stdlib.h>
#include <unistd.h>

extern char **environ;
extern int rebind_missing(void) __attribute__((weak));

/// Three bytes into a function of libc: an addend.
const char *plugin_pointer = (const char *)&getpid + 3;

pid_t plugin_parent(void) { return getppid(); }
char **plugin_environment(void) { return environ; }
int plugin_missing(void) { return rebind_missing != NULL ? rebind_missing() : -1; }
