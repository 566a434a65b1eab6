/// The notice redirects dlopen's definition while a batch that may redirect lives, and not
/// while those alone live that redirect nothing, whichever came first.

#include "steps.h"

static int replacement(void) { return 1; }

static void *real;
static bool is_redirected(void) { return dlsym(RTLD_DEFAULT, "dlopen") != real; }

static crebind_handle *apply(const char *name, bool slots_only) {
  const crebind_options options = {.slots_only = slots_only};
  return REBIND(name, replacement, NULL, &options, NULL);
}

int main(void) {
  real = dlsym(RTLD_DEFAULT, "dlopen");
  crebind_handle *redirecting = apply("nobody_has_this", false);
  CHECK(is_redirected());
  crebind_handle *slots = apply("nor_this", true);
  CHECK(is_redirected());
  RESTORE(redirecting);
  CHECK(!is_redirected());
  redirecting = apply("nobody_has_this", false);
  CHECK(is_redirected());
  RESTORE(slots);
  CHECK(is_redirected());
  RESTORE(redirecting);
  CHECK(!is_redirected());
  puts("as the batches want it");
}
