/// A program and a plug-in, each with a copy of CRebind of its own, hook one function. A call runs
/// each active hook once, in images loaded later as well. Restored in the order of a stack, each
/// takes its own away. The copies do not know of each other, so if the lower one is restored first,
/// its slots are covered. It leaves them alone and says so. Its hook stays in the chain below the
/// upper one, and the upper one puts it back on top. The lower one's next call takes it away, with
/// what has been bound to it since.
///
/// Usage: two-copies PLUGIN LATER-IMAGE...

#include "steps.h"
#include "two-copies.h"

static int runs;
static pid_t (*original)(void);
static pid_t hook(void) {
  runs++;
  return original();
}

static crebind_handle *handle;
static const struct other_copy *other;
static pid_t parent;

static void apply(void) {
  handle = REBIND("getppid", hook, &original, NULL, NULL);
}

static bool restore(void) {
  crebind_report report;
  crebind_error error = {.status = CREBIND_OK};
  crebind_status status = crebind_restore(handle, &report, &error);
  CHECK(status == CREBIND_OK || status == CREBIND_COVERED);
  CHECK((status == CREBIND_COVERED) == (report.skipped != 0));
  CHECK(status == CREBIND_OK || (error.status == CREBIND_COVERED && error.address != 0));
  return status == CREBIND_OK;
}

static void verify(void) { CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK); }
static void refresh(void) { CHECK(crebind_refresh(NULL) == CREBIND_OK); }

/// A call of our own on another name.
static void apply_another(void) {
  static pid_t (*unused)(void);
  RESTORE(REBIND("getsid", hook, &unused, NULL, NULL));
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
  return FIND(OPEN(path, RTLD_LAZY), "plugin_call");
}

/// Closes it twice over, as `open_later` keeps it.
static void close_later(const char *path) {
  void *image = OPEN(path, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(dlclose(image) == 0 && dlclose(image) == 0);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 7);
  parent = getppid();
  other = FIND(OPEN(argv[1], RTLD_NOW), "other_copy");
  CHECK(other->address != (void *)crebind_apply);

  // In the order of a stack, with either at the bottom, and images that are loaded meanwhile, seen
  // by either first.
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
  CHECK(other->restore());
  expect(call, 1, 0);
  expect(first, 1, 0);
  expect(second, 1, 0);
  CHECK(restore());
  expect(call, 0, 0);
  expect(first, 0, 0);
  expect(second, 0, 0);

  other->apply();
  apply();
  pid_t (*third)(void) = open_later(argv[4]);
  other->refresh();
  expect(third, 1, 1);
  CHECK(restore());
  expect(call, 0, 1);
  expect(third, 0, 1);
  CHECK(other->restore());
  expect(call, 0, 0);
  expect(third, 0, 0);

  // The lower one first; whichever call of its own comes next.
  void (*const calls[])(void) = {refresh, verify, apply_another};
  for (int i = 0; i < 3; i++) {
    apply();
    other->apply();
    CHECK(!restore());
    expect(call, 1, 1);
    pid_t (*fourth)(void) = open_later(argv[5]);
    expect(fourth, 1, 1);
    CHECK(other->restore());
    expect(call, 1, 0);
    pid_t (*bound_meanwhile)(void) = open_later(argv[6]);
    expect(bound_meanwhile, 1, 0);
    calls[i]();
    expect(call, 0, 0);
    expect(fourth, 0, 0);
    expect(bound_meanwhile, 0, 0);
    CHECK(restore());
    close_later(argv[5]);
    close_later(argv[6]);
  }

  // With ours on top, by restoring the other one's again.
  other->apply();
  apply();
  CHECK(!other->restore());
  CHECK(!other->restore());
  expect(call, 1, 1);
  CHECK(restore());
  expect(call, 0, 1);
  CHECK(other->restore());
  expect(call, 0, 0);

  // Applied again where it lies below: once more on top, it would lead to itself.
  apply();
  other->apply();
  CHECK(!restore());
  crebind_handle *former = handle;
  apply();
  expect(call, 1, 1);
  CHECK(crebind_restore(former, NULL, NULL) == CREBIND_COVERED);
  expect(call, 1, 1);
  CHECK(other->restore());
  refresh();
  RESTORE(former);
  expect(call, 1, 0);
  pid_t (*last)(void) = open_later(argv[6]);
  expect(last, 1, 0);
  CHECK(restore());
  expect(call, 0, 0);
  expect(last, 0, 0);
  printf("each active hook ran once a call\n");
}
