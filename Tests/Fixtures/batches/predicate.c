/// A predicate may call the interface: it is asked once an image and no more, by
/// whatever thread, and what it brings about is served. And it does not run any
/// more once its batch has been restored.
///
/// Usage: predicate PLUGIN PLUGIN

#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1; }
static int (*original_close)(int);
static int close_hook(int file) { return original_close(file); }

enum { MOST = 64 };
static const void *asked[MOST];
static atomic_int asked_count;
static atomic_bool is_slow, is_inside, may_run;

static void ask_again(void) {
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  RESTORE(REBIND("close", close_hook, &original_close, NULL, NULL));
}

static bool asks_again(const crebind_image_info *image, void *context) {
  CHECK(atomic_load(&may_run) && strcmp(context, "valid") == 0);
  int index = atomic_fetch_add(&asked_count, 1);
  CHECK(index < MOST);
  asked[index] = image->header;
  if (atomic_load(&is_slow)) {
    atomic_store(&is_inside, true);
    // The restore waits for this predicate, and a while of that.
    wait_until_asleep(getpid());
    sleep_for(50);
    CHECK(atomic_load(&may_run));
    return true;
  }
  ask_again();
  return is_plugin(image, NULL);
}

static void *load(void *path) { return OPEN(path, RTLD_LAZY); }

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  char context[] = "valid";
  pid_t parent = getppid();
  const crebind_options options = {
      .scope = CREBIND_SCOPE_MATCHING, .matches = asks_again, .context = context};
  atomic_store(&may_run, true);
  crebind_handle *handle = REBIND("getppid", hook, &original, &options, NULL);
  int images = atomic_load(&asked_count);
  CHECK(images > 0 && getppid() == parent);

  void *plugin = load(argv[1]);
  CHECK(CALL(plugin, "plugin_call") == parent + 1);
  CHECK(atomic_load(&asked_count) == images + 1);
  for (int i = 0; i < images; i++)
    for (int j = 0; j < i; j++) CHECK(asked[i] != asked[j]);

  // Another thread's dlopen is in the predicate while the batch is restored.
  atomic_store(&is_slow, true);
  pthread_t loader = START(load, argv[2]);
  while (!atomic_load(&is_inside)) {}
  RESTORE(handle);
  atomic_store(&may_run, false);
  memset(context, 0, sizeof context);
  void *second = JOIN(loader);
  CHECK(CALL(plugin, "plugin_call") == parent && CALL(second, "plugin_call") == parent);
  printf("asked once\n");
}
