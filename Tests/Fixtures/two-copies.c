/// A program and a plug-in, each with a copy of CRebind of its own, hook one
/// function. A call runs each active hook once, in images loaded later as well.
/// Restored in the order of a stack, each takes its own away. The copies do not
/// know of each other, so where the lower one is restored first, its slots are
/// covered: it leaves them alone and says so, its hook stays in the chain below
/// the upper one, and the upper one puts it back on top.
///
/// Usage: two-copies PLUGIN LATER-IMAGE...

#include "CRebind.h"
#include "check.h"
#include "two-copies.h"

#include <dlfcn.h>
#include <unistd.h>

static int runs;
static pid_t (*original)(void);
static pid_t hook(void) {
  runs++;
  return original();
}

static const crebind_rebinding rebinding = {
    .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
static crebind_handle *handle;
static const struct other_copy *other;
static pid_t parent;

static void apply(void) {
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
}

static unsigned long restore(void) {
  crebind_report report;
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK);
  return report.skipped;
}

/// Checks how often each hook runs at one call.
static void expect(pid_t (*call)(void), int own, int others) {
  runs = 0;
  other->hooked();
  CHECK(call() == parent);
  CHECK(runs == own);
  CHECK(other->hooked() == others);
}

static pid_t call(void) { return getppid(); }

static pid_t (*open_later(const char *path))(void) {
  void *image = dlopen(path, RTLD_LAZY);
  CHECK(image != NULL);
  pid_t (*later)(void) = (pid_t(*)(void))dlsym(image, "plugin_call");
  CHECK(later != NULL);
  return later;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 6);
  parent = getppid();
  void *plugin = dlopen(argv[1], RTLD_NOW);
  CHECK(plugin != NULL);
  other = dlsym(plugin, "other_copy");
  CHECK(other != NULL && other->address != (void *)crebind_apply);

  // As a stack, with either at the bottom, and images that are loaded meanwhile,
  // seen by either first.
  apply();
  other->apply();
  expect(call, 1, 1);
  pid_t (*first)(void) = open_later(argv[2]), (*second)(void) = open_later(argv[3]);
  expect(first, 1, 1);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  expect(first, 1, 1);
  other->refresh();
  expect(second, 1, 1);
  CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK);
  expect(call, 1, 1);
  CHECK(other->restore() == 0);
  expect(call, 1, 0);
  expect(first, 1, 0);
  expect(second, 1, 0);
  CHECK(restore() == 0);
  expect(call, 0, 0);
  expect(first, 0, 0);
  expect(second, 0, 0);

  other->apply();
  apply();
  pid_t (*third)(void) = open_later(argv[4]);
  other->refresh();
  expect(third, 1, 1);
  CHECK(restore() == 0);
  expect(call, 0, 1);
  expect(third, 0, 1);
  CHECK(other->restore() == 0);
  expect(call, 0, 0);
  expect(third, 0, 0);

  // The lower one first.
  apply();
  other->apply();
  CHECK(restore() > 0);
  expect(call, 1, 1);
  pid_t (*fourth)(void) = open_later(argv[5]);
  expect(fourth, 1, 1);
  CHECK(other->restore() == 0);
  expect(call, 1, 0);
  expect(fourth, 1, 0);
  printf("each active hook ran once a call\n");
}
