/// A predicate may call the interface: it is asked once an image and no more, by
/// whatever thread, and what it brings about is served. And it does not run any
/// more once its batch has been restored.
///
/// Usage: predicate PLUGIN PLUGIN

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1; }
static int (*original_close)(int);
static int close_hook(int file) { return original_close(file); }

enum { MOST = 64 };
static const void *asked[MOST];
static atomic_int asked_count;
static atomic_bool is_slow, is_inside, may_run;

static void ask_again(void) {
  const crebind_rebinding other = {
      .name = "close", .replacement = (void *)close_hook, .original = (void **)&original_close};
  crebind_handle *handle;
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(crebind_apply(&other, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
}

static bool is_plugin(const crebind_image_info *image, void *context) {
  CHECK(atomic_load(&may_run) && strcmp(context, "valid") == 0);
  int index = atomic_fetch_add(&asked_count, 1);
  CHECK(index < MOST);
  asked[index] = image->header;
  if (atomic_load(&is_slow)) {
    atomic_store(&is_inside, true);
    usleep(50000);
    CHECK(atomic_load(&may_run));
    return true;
  }
  ask_again();
  return strstr(image->path, "plugin") != NULL;
}

static void *load(void *path) {
  void *image = dlopen(path, RTLD_LAZY);
  CHECK(image != NULL);
  return image;
}

static pid_t call(void *image) { return ((pid_t(*)(void))dlsym(image, "plugin_call"))(); }

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  char context[] = "valid";
  pid_t parent = getppid();
  const crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  const crebind_options options = {
      .scope = CREBIND_SCOPE_MATCHING, .matches = is_plugin, .context = context};
  atomic_store(&may_run, true);
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, &options, &handle, NULL, NULL) == CREBIND_OK);
  int images = atomic_load(&asked_count);
  CHECK(images > 0 && getppid() == parent);

  void *plugin = load(argv[1]);
  CHECK(call(plugin) == parent + 1);
  CHECK(atomic_load(&asked_count) == images + 1);
  for (int i = 0; i < images; i++)
    for (int j = 0; j < i; j++) CHECK(asked[i] != asked[j]);

  // Another thread's dlopen is in the predicate while the batch is restored.
  pthread_t loader;
  atomic_store(&is_slow, true);
  CHECK(pthread_create(&loader, NULL, load, argv[2]) == 0);
  while (!atomic_load(&is_inside)) {}
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  atomic_store(&may_run, false);
  memset(context, 0, sizeof context);
  void *second;
  CHECK(pthread_join(loader, &second) == 0);
  CHECK(call(plugin) == parent && call(second) == parent);
  printf("asked once\n");
}
