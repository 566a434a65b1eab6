/// A function that counts its calls, and with -DCALLER a plug-in that calls it.

#ifdef CALLER

int counted(void);
int plugin_call(void) { return counted(); }
int (*const plugin_pointer)(void) = counted;

#else

#include <stdatomic.h>

atomic_long calls_counted;

int counted(void) {
  atomic_fetch_add(&calls_counted, 1);
  return 1;
}

#endif
