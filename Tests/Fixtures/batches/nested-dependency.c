/// A library that imports getppid, and with -DDEPENDENT one that calls it through
/// that library, so that one dlopen loads both.

#include <unistd.h>

pid_t dependency_call(void);

#ifdef DEPENDENT
pid_t plugin_call(void) { return dependency_call(); }
#else
pid_t dependency_call(void) { return getppid(); }
#endif
