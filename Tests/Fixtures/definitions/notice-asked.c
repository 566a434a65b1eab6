/// When dlopen is wrapped: not for a name whose first definition is redirected and stays
/// loaded. With the option that redirects nothing, for a name that nothing defines, and for
/// a definition that can be unloaded it is; and then as long as any batch lives.
///
/// Usage: notice-asked PLUGIN DEFINER

#if defined(DEFINER)

int getppid(void) { return 3; }

#else

#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1000000; }

/// By the program's slot; what dlsym gives may differ.
static bool is_wrapped(void) {
  static void *unwrapped;
  void *volatile address = (void *)dlopen;
  if (unwrapped == NULL) unwrapped = address;
  return address != unwrapped;
}

/// No definition is redirected, dlopen's neither: what dlsym gives is the function itself.
static void redirect_nothing(const char *path) {
  pid_t parent = getppid();
  void *address = dlsym(RTLD_DEFAULT, "getppid"), *opener = dlsym(RTLD_DEFAULT, "dlopen");
  crebind_options options = {.slots_only = true};
  crebind_handle *handle = REBIND("getppid", hook, &original, &options, NULL);
  CHECK(is_wrapped() && getppid() == parent + 1000000);
  CHECK(dlsym(RTLD_DEFAULT, "getppid") == address && dlsym(RTLD_DEFAULT, "dlopen") == opener);
  void *plugin = OPEN(path, RTLD_NOW);
  pid_t (*call)(void) = FIND(plugin, "plugin_call");
  CHECK(call() == parent + 1000000);
  RESTORE(handle);
  CHECK(!is_wrapped() && call() == parent && getppid() == parent);
#ifdef __GLIBC__
  CHECK(dlclose(plugin) == 0);
#endif
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3 && !is_wrapped());
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
  CHECK(!is_wrapped());
  RESTORE(handle);
  redirect_nothing(argv[1]);

  // A name that nothing defines.
  handle = REBIND("nothing_defines_it", hook, &original, NULL, NULL);
  crebind_handle *other = REBIND("getppid", hook, &original, NULL, NULL);
  CHECK(is_wrapped());
  RESTORE(handle);
  CHECK(is_wrapped());
  RESTORE(other);
  CHECK(!is_wrapped());

  // A later look comes upon a definition that may be unloaded: a refresh.
  handle = REBIND("getppid", hook, &original, NULL, NULL);
  void *definer = OPEN(argv[2], RTLD_NOW);
  CHECK(!is_wrapped());
  CHECK(crebind_refresh(NULL) == CREBIND_OK && is_wrapped());
  CHECK(CALL(definer, "getppid") == 3);
#ifdef __GLIBC__
  CHECK(dlclose(definer) == 0 && is_wrapped());
#endif
  RESTORE(handle);
  CHECK(!is_wrapped());
  printf("asked for where it is needed\n");
}

#endif
