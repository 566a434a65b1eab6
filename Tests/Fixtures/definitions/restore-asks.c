/// Restoring a batch gives newer ones their originals anew, and the loader may have to be asked
/// about a name that the restored batch does not have. Here the slots of one name lead to two
/// libraries in local scopes, of which one is left alone.
///
/// Usage: restore-asks ONE TWO

#if defined(LIBRARY)

int number(void) { return NUMBER; }

#elif defined(CALLER)

int number(void);
int call(void) { return number(); }

#else

#include "steps.h"

static int (*original)(void);
static int hook(void) { return 100 + original(); }
static pid_t hook_pid(void) { return -2; }

static crebind_handle *apply(const char *name, void *replacement, void *original) {
  const crebind_options options = {.slots_only = true};
  return REBIND(name, replacement, original, &options, NULL);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  int (*calls[2])(void);
  for (int i = 0; i < 2; i++)
    calls[i] = FIND(OPEN(arguments[i + 1], RTLD_NOW | RTLD_LOCAL), "call");
  crebind_handle *older = apply("getpid", (void *)hook_pid, NULL);
  crebind_handle *newer = apply("number", (void *)hook, &original);
  CHECK(getpid() == -2 && calls[0]() > 100 && calls[1]() == 2);
  RESTORE(older);
  CHECK(getpid() != -2 && calls[0]() > 100 && calls[1]() == 2);
  RESTORE(newer);
  CHECK(calls[0]() == 1 && calls[1]() == 2);
  puts("restored once");
}

#endif
