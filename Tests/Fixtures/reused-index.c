/// An image goes, and before the batches hear of it another one comes and takes its place in the
/// records. Changes in the first are not taken for changes of the second.
///
/// Usage: reused-index PLUGIN OTHER-PLUGIN

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"
#include "world/look.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1; }

static crebind_status nothing(struct crebind_look *look, void *context) {
  (void)look, (void)context;
  return CREBIND_OK;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  pid_t parent = getppid();
  void *first = dlopen(argv[1], RTLD_LAZY);
  CHECK(first != NULL);
  const crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  const crebind_options options = {.loaded_images_only = true};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, &options, &handle, NULL, NULL) == CREBIND_OK);

  CHECK(dlclose(first) == 0);
  // Looks at the images, and does not serve them.
  CHECK(crebind_look(nothing, NULL, NULL) == CREBIND_OK);
  void *second = dlopen(argv[2], RTLD_LAZY);
  CHECK(second != NULL && crebind_look(nothing, NULL, NULL) == CREBIND_OK);
  pid_t (*call)(void) = (pid_t(*)(void))dlsym(second, "plugin_call");
  crebind_report report;
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK && report.changed == 0);
  CHECK(call() == parent);
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK && report.skipped == 0);
  CHECK(call() == parent && getppid() == parent);
  printf("told apart\n");
}
