/// A batch is applied and restored while another thread's dlopen has mapped an image and not
/// relocated it. The call waits for the loader, and calls nothing in the image before it may. Then
/// the image is served, and restored, like any other.
///
/// Usage: half-loaded LIBRARY MILLISECONDS|waits: how long the loader works on while the call tries
/// again, or until the call waits for the loader's lock

#include "steps.h"
#include "half-loaded.h"

static struct half_loaded *shared;
static const char *work;
COUNTING_HOOK(pid_t)

static int (*original_ifunc)(void);
static int hook_ifunc(void) { return original_ifunc() + 1; }

static void *open_library(void *path) { return OPEN(path, RTLD_LAZY); }

/// Between two tries the call sleeps otherwise.
static bool waits_for_lock(void) {
  char path[64];
  long number = -1;
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", getpid());
  FILE *file = fopen(path, "r");
  if (file == NULL) return true;  // a kernel without it
  if (fscanf(file, "%ld", &number) != 1) number = -1;
  fclose(file);
  return number == SYS_futex;
}

static void *let_go_on(void *unused) {
  while (__atomic_load_n(&shared->is_inside, __ATOMIC_SEQ_CST) == 0) {}
  wait_until_asleep(getpid());
  if (strcmp(work, "waits") == 0)
    while (!waits_for_lock()) sched_yield();
  else
    sleep_for(atol(work));
  __atomic_store_n(&shared->may_go_on, 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  work = argv[2];
  pid_t parent = getppid();
  shared = mmap((void *)HALF_LOADED_ADDRESS, 4096, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CHECK(shared == (void *)HALF_LOADED_ADDRESS);
  pthread_t helper = START(let_go_on, NULL), opener = START(open_library, argv[1]);
  while (__atomic_load_n(&shared->is_inside, __ATOMIC_SEQ_CST) == 0) {}

  const crebind_rebinding rebindings[] = {
      {.name = "getppid", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "plugin_ifunc",
       .replacement = (void *)hook_ifunc,
       .original = (void **)&original_ifunc}};
  crebind_handle *handle = APPLY(rebindings, 2, NULL, NULL);
  CHECK(__atomic_load_n(&shared->may_go_on, __ATOMIC_SEQ_CST) != 0);
  JOIN(helper);
  void *library = JOIN(opener);
  pid_t (*call)(void) = FIND(library, "plugin_call");
  // By an image that holds no replacement.
  void *(*find)(const char *) = FIND(library, "plugin_find");
  int (*call_ifunc)(void) = (int (*)(void))find("plugin_ifunc");
  CHECK(call() == parent && hooked == 1 && call_ifunc() == 6);
  RESTORE(handle);
  call_ifunc = (int (*)(void))find("plugin_ifunc");
  CHECK(call() == parent && getppid() == parent && hooked == 1 && call_ifunc() == 5);
  CHECK(dlclose(library) == 0);
  printf("served and restored\n");
}
