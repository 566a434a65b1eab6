/// A batch whose slots have gone keeps an original, which leads to an older batch: once that
/// is restored, it leads to what was behind.
///
/// Usage: original-left CALLER

#if defined(LIBRARY)

int number(void) { return 7; }

#elif defined(CALLER)

int number(void);
int call(void) { return number(); }

#else

#include "steps.h"

typedef int function(void);

static function *originals[2];
static int older(void) { return 100 + originals[0](); }
static int newer(void) { return 1000 + originals[1](); }

static crebind_handle *apply(int batch, function *replacement) {
  const crebind_options options = {.slots_only = true};
  return REBIND("number", replacement, &originals[batch], &options, NULL);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  void *caller = OPEN(arguments[1], RTLD_NOW | RTLD_LOCAL);
  crebind_handle *first = apply(0, older), *second = apply(1, newer);
  CHECK(CALL(caller, "call") == 1107);
  function *real = originals[0];
  CHECK(originals[1] == older && dlclose(caller) == 0);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  RESTORE(first);
  CHECK(originals[1] == real && newer() == 1007);
  RESTORE(second);
  puts("behind the one that went");
}

#endif
