/// An image goes, and before the batches hear of it another one comes and takes its place in the
/// records. Changes in the first are not taken for changes of the second.
///
/// Usage: reused-index PLUGIN OTHER-PLUGIN

#define _GNU_SOURCE
#include "world/look.h"
#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1; }

static crebind_status nothing(struct crebind_look *look, void *context) {
  (void)look, (void)context;
  return CREBIND_OK;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  pid_t parent = getppid();
  void *first = OPEN(argv[1], RTLD_LAZY);
  const crebind_options options = {.loaded_images_only = true};
  crebind_handle *handle = REBIND("getppid", hook, &original, &options, NULL);

  CHECK(dlclose(first) == 0);
  // Looks at the images, and does not serve them.
  CHECK(crebind_look(nothing, NULL, NULL) == CREBIND_OK);
  void *second = OPEN(argv[2], RTLD_LAZY);
  CHECK(crebind_look(nothing, NULL, NULL) == CREBIND_OK);
  pid_t (*call)(void) = FIND(second, "plugin_call");
  crebind_report report;
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK && report.changed == 0);
  CHECK(call() == parent);
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK && report.skipped == 0);
  CHECK(call() == parent && getppid() == parent);
  printf("told apart\n");
}
