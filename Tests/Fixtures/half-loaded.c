/// A batch is applied and restored while another thread's dlopen has mapped an image and not
/// relocated it. The call waits for the loader, and calls nothing in the image before it may. Then
/// the image is served, and restored, like any other.
///
/// Usage: half-loaded LIBRARY MILLISECONDS-OF-WORK

#include "CRebind.h"
#include "check.h"
#include "half-loaded.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct half_loaded *shared;
static long work;
static int hooked;
static pid_t (*original)(void);
static pid_t hook(void) {
  hooked++;
  return original();
}

static int (*original_ifunc)(void);
static int hook_ifunc(void) { return original_ifunc() + 1; }

static void *open_library(void *path) { return dlopen(path, RTLD_LAZY); }

static void *let_go_on(void *unused) {
  while (__atomic_load_n(&shared->is_inside, __ATOMIC_SEQ_CST) == 0) {}
  struct timespec pause = {work / 1000, work % 1000 * 1000000};
  nanosleep(&pause, NULL);
  __atomic_store_n(&shared->may_go_on, 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  work = atol(argv[2]);
  pid_t parent = getppid();
  shared = mmap((void *)HALF_LOADED_ADDRESS, 4096, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CHECK(shared == (void *)HALF_LOADED_ADDRESS);
  pthread_t opener, helper;
  CHECK(pthread_create(&helper, NULL, let_go_on, NULL) == 0);
  CHECK(pthread_create(&opener, NULL, open_library, argv[1]) == 0);
  while (__atomic_load_n(&shared->is_inside, __ATOMIC_SEQ_CST) == 0) {}

  const crebind_rebinding rebindings[] = {
      {.name = "getppid", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "plugin_ifunc",
       .replacement = (void *)hook_ifunc,
       .original = (void **)&original_ifunc}};
  crebind_handle *handle;
  CHECK(crebind_apply(rebindings, 2, NULL, &handle, NULL, NULL) == CREBIND_OK);
  void *library;
  CHECK(pthread_join(helper, NULL) == 0 && pthread_join(opener, &library) == 0);
  CHECK(library != NULL);
  pid_t (*call)(void) = (pid_t(*)(void))dlsym(library, "plugin_call");
  // By an image that holds no replacement.
  void *(*find)(const char *) = (void *(*)(const char *))dlsym(library, "plugin_find");
  int (*call_ifunc)(void) = (int (*)(void))find("plugin_ifunc");
  CHECK(call() == parent && hooked == 1 && call_ifunc() == 6);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  call_ifunc = (int (*)(void))find("plugin_ifunc");
  CHECK(call() == parent && getppid() == parent && hooked == 1 && call_ifunc() == 5);
  CHECK(dlclose(library) == 0);
  printf("served and restored\n");
}
