/// Two plug-ins of one layout: the one imports getppid where the other, built
/// with -DOTHER, imports getpgrp.

#include <unistd.h>

#ifdef OTHER
int plugin_number(void) { return 2; }
pid_t plugin_call(void) { return getpgrp(); }
#else
int plugin_number(void) { return 1; }
pid_t plugin_call(void) { return getppid(); }
#endif
