/// A replacement lives in a plug-in, and the function in a library in the plug-in's local scope,
/// where the loader's RTLD_DEFAULT finds it for the plug-in alone. Asked so, dlsym gives the
/// plug-in the same as before the function was hooked. So it does for a plug-in that does not lead
/// to the library.
///
/// Usage: next-local USER STRANGER

#include "steps.h"

typedef int function(void);

#if defined(LIBRARY)

int local_value(void) { return 7; }

#elif defined(PLUGIN)

/// No tail call: whoever asks is known by the address that dlsym returns to.
function *ask(void *handle) {
  void *found = dlsym(handle, "local_value");
  __asm__ volatile("" : "+r"(found));
  return (function *)found;
}

static int depth;
int replacement(void) {
  if (depth != 0) return -10000;
  depth++;
  function *behind = ask(RTLD_DEFAULT);
  int result = 1000 + (behind != NULL ? behind() : 0);
  depth--;
  return result;
}

#else

static function *found_value(void *image) { return (function *)dlsym(image, "local_value"); }

static void check(void *plugin, void *definer, bool leads_there) {
  function *(*ask)(void *) = (function * (*)(void *)) dlsym(plugin, "ask");
  function *real = found_value(definer), *by_default = ask(RTLD_DEFAULT);
  CHECK(real != NULL && real() == 7 && (by_default == NULL || by_default == real));
  void *replacement = dlsym(plugin, "replacement");
  crebind_handle *handle = REBIND("local_value", replacement, NULL, NULL, NULL);
  CHECK(ask(RTLD_DEFAULT) == by_default);
  if (leads_there) CHECK(ask(RTLD_NEXT) == real);
  function *hooked = found_value(definer);
  CHECK(hooked != real && hooked() == 1000 + (by_default != NULL ? 7 : 0));
  RESTORE(handle);
  CHECK(ask(RTLD_DEFAULT) == by_default && found_value(definer) == real);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  void *user = OPEN(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void *stranger = OPEN(arguments[2], RTLD_NOW | RTLD_LOCAL);
  check(user, user, true);
  check(stranger, user, false);
  puts("as unhooked");
}

#endif
