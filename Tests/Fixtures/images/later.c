/// A rebinding for all images reaches those that are loaded later: their
/// constructors, what dlsym returns, an IFUNC, and what libc loads by itself.
/// Restored, nothing is left of it.

#include "steps.h"
#include "permissions.h"

#include <iconv.h>

static pid_t (*original)(void);
static time_t (*original_time)(time_t *);
static int hooked;
static pid_t hook(void) {
  hooked++;
  return original() + 1000000;
}
static time_t hook_time(time_t *result) {
  if (result != NULL) *result = 5;
  return 5;
}

/// Sees the calls of an iconv module, which libc opens without any slot.
static void *(*original_malloc)(size_t);
static int module_calls;
static void *hook_malloc(size_t size) {
  Dl_info info;
  void *caller = __builtin_return_address(0);
  if (crebind_enter(0)) {
    if (dladdr(caller, &info) != 0 && strstr(info.dli_fname, "gconv") != NULL) module_calls++;
    crebind_leave(0);
  }
  return original_malloc(size);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  pid_t parent = getppid();
  void *before = dlsym(RTLD_DEFAULT, "getppid"), *before_time = dlsym(RTLD_DEFAULT, "time");
  char *maps = read_maps();

  crebind_rebinding rebindings[] = {
      {.name = "getppid", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "time", .replacement = (void *)hook_time, .original = (void **)&original_time},
      {.name = "malloc", .replacement = (void *)hook_malloc,
       .original = (void **)&original_malloc},
  };
  crebind_report report;
  crebind_handle *handle = APPLY(rebindings, 3, NULL, &report);
  CHECK(report.pending == 0);
  // The image that holds the replacements gets what is behind them.
  CHECK(dlsym(RTLD_DEFAULT, "getppid") == before && dlsym(RTLD_DEFAULT, "time") == before_time);
  CHECK(keeps_permissions(maps));

  void *plugin = OPEN(argv[1], RTLD_LAZY);
  CHECK(*(pid_t *)FIND(plugin, "plugin_parent") == parent + 1000000);
  CHECK(*(time_t *)FIND(plugin, "plugin_time") == 5);
  pid_t (*call)(void) = FIND(plugin, "plugin_call");
  CHECK(call() == parent + 1000000);
  void *(*find)(const char *) = FIND(plugin, "plugin_find");
  CHECK(find("getppid") == (void *)hook && find("time") == (void *)hook_time);

  iconv_t conversion = iconv_open("UTF-16", "EUC-JP");
  bool has_module = false;
#ifdef __GLIBC__  // musl converts without modules
  has_module = conversion != (iconv_t)-1;
#endif
  if (has_module) {
    CHECK(module_calls > 0);
  }
  if (conversion != (iconv_t)-1) iconv_close(conversion);

  int calls = hooked;
  RESTORE(handle);
  CHECK(dlsym(RTLD_DEFAULT, "getppid") == before && dlsym(RTLD_DEFAULT, "time") == before_time);
  CHECK(call() == parent && getppid() == parent && time(NULL) != 5 && hooked == calls);
#ifdef __GLIBC__  // musl unloads nothing, so that no constructor runs again
  CHECK(dlclose(plugin) == 0);
  plugin = OPEN(argv[1], RTLD_NOW);
  CHECK(*(pid_t *)FIND(plugin, "plugin_parent") == parent);
  CHECK(*(time_t *)FIND(plugin, "plugin_time") != 5);
#endif
  printf("later images%s\n", has_module ? ", iconv modules too" : "");
}
