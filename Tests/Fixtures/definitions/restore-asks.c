/// Restoring a batch gives newer ones their originals anew, and the loader may have to be asked
/// about a name that the restored batch does not have. Here the slots of one name lead to two
/// versions of it, in a library that is in no global scope.
///
/// Usage: restore-asks OLD NEW NEWER

#include "steps.h"

static int (*original)(void);
static int hook(void) { return 100 + original(); }
static pid_t hook_pid(void) { return -2; }

static crebind_handle *apply(const char *name, void *replacement, void *original) {
  const crebind_options options = {.slots_only = true};
  return REBIND(name, replacement, original, &options, NULL);
}

int main(int count, char **arguments) {
  CHECK(count == 4);
  int (*calls[3])(void);
  for (int i = 0; i < 3; i++)
    calls[i] = FIND(OPEN(arguments[i + 1], RTLD_NOW | RTLD_LOCAL), "call");
  crebind_handle *older = apply("getpid", (void *)hook_pid, NULL);
  crebind_handle *newer = apply("number", (void *)hook, &original);
  CHECK(getpid() == -2);
  for (int i = 0; i < 3; i++) CHECK(calls[i]() == 101);
  RESTORE(older);
  CHECK(getpid() != -2);
  for (int i = 0; i < 3; i++) CHECK(calls[i]() == 101);
  RESTORE(newer);
  for (int i = 0; i < 3; i++) CHECK(calls[i]() == (i == 0 ? 1 : 2));
  puts("restored once");
}
