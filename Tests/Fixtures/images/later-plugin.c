/// Calls `getppid` (a function), `time` (an IFUNC on x86-64) and `memcpy` as it
/// is loaded, before anybody could patch its slots.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

pid_t plugin_parent;
time_t plugin_time;

__attribute__((constructor)) static void start(void) {
  plugin_parent = getppid();
  plugin_time = time(NULL);
}

pid_t plugin_call(void) { return getppid(); }
void *plugin_find(const char *name) { return dlsym(RTLD_DEFAULT, name); }
