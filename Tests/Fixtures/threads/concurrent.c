/// Threads open, call and close plug-ins while another rebinds and restores. Nothing deadlocks,
/// nothing crashes, and the relro pages of an image that the loader is not done with stay writable
/// for it.

#include "steps.h"

static atomic_bool is_done;
static atomic_long calls, hooked, opened;
static pid_t (*original)(void);
static pid_t parent;

static pid_t hook(void) {
  atomic_fetch_add(&hooked, 1);
  return original();
}

static void *open_and_close(void *plugin) {
  pid_t expected = parent;
  while (!atomic_load(&is_done)) {
    void *handle = OPEN(plugin, RTLD_LAZY);
    pid_t (*call)(void) = FIND(handle, "plugin_call");
    CHECK(call() == expected);
    atomic_fetch_add(&calls, 1);
    CHECK(dlclose(handle) == 0);
    atomic_fetch_add(&opened, 1);
  }
  return NULL;
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 4);
  int rounds = atoi(argv[1]);
  // A call of the threads' own would be hooked, too.
  parent = getppid();
  pthread_t threads[8];
  int count = argc - 2;
  CHECK(count <= 8);
  for (int i = 0; i < count; i++) threads[i] = START(open_and_close, argv[i + 2]);
  for (int i = 0; i < rounds; i++) {
    crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
    crebind_handle *handle;
    crebind_error error;
    crebind_status status = crebind_apply(&rebinding, 1, NULL, &handle, NULL, &error);
    if (status != CREBIND_OK)
      fprintf(stderr, "%s: %s\n", error.image, crebind_status_description(status));
    CHECK(status == CREBIND_OK);
    RESTORE(handle);
  }
  atomic_store(&is_done, true);
  for (int i = 0; i < count; i++) JOIN(threads[i]);
  CHECK(atomic_load(&opened) > 0 && atomic_load(&hooked) <= atomic_load(&calls));
  printf("done\n");
}
