/// Two libraries of which the loader relocates the second, built with -DSLOW,
/// first, and stops there in an IFUNC's resolver until it is told to go on. The
/// first is mapped by then, and listed, but not relocated.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

int slow(void);

#ifdef SLOW

#include "half-loaded.h"

static int answer(void) { return 1; }

__attribute__((used)) static int (*resolve(void))(void) {
  struct half_loaded *shared = (struct half_loaded *)HALF_LOADED_ADDRESS;
  __atomic_store_n(&shared->is_inside, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&shared->may_go_on, __ATOMIC_SEQ_CST) == 0) {}
  return answer;
}
int slow(void) __attribute__((ifunc("resolve")));
int (*slow_pointer)(void) = slow;

#else

pid_t plugin_call(void) { return getppid(); }
int plugin_slow(void) { return slow(); }
void *plugin_find(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/// Its resolver calls through a slot, which crashes before that is filled.
static int answer(void) { return 5; }
__attribute__((used)) static int (*resolve(void))(void) { return getpid() > 0 ? answer : NULL; }
int plugin_ifunc(void) __attribute__((ifunc("resolve")));

#endif
