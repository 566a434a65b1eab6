/// An image with a replacement that asks for the function behind it.

#define _GNU_SOURCE
#include "question-under-way.h"

#include <dlfcn.h>

pid_t asker_hook(void) { return 4711; }
void *asker_ask(void *handle) { return dlsym(handle, "getppid"); }
void *asker_ask_version(void *handle) { return dlvsym(handle, "getppid", "GLIBC_2.2.5"); }
