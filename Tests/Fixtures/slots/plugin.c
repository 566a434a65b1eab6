/// A plug-in that calls a function of libc, and has enough pointers to relocate
/// that the loader takes its time.

#include <unistd.h>

pid_t plugin_call(void) { return getppid(); }

#define TEN(x) x, x, x, x, x, x, x, x, x, x
pid_t (*const plugin_pointers[])(void) = {TEN(TEN(TEN(plugin_call)))};
