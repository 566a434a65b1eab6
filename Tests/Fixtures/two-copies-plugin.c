/// A plug-in with a copy of CRebind of its own; see two-copies.c.

#include "CRebind.h"
#include "check.h"
#include "two-copies.h"

#include <unistd.h>

static int runs;
static pid_t (*original)(void);
static crebind_handle *handle;

static pid_t hook(void) {
  runs++;
  return original();
}

static void apply(void) {
  crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
}

static unsigned long restore(void) {
  crebind_report report;
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK);
  return report.skipped;
}

static void refresh(void) { CHECK(crebind_refresh(NULL) == CREBIND_OK); }

static int hooked(void) {
  int count = runs;
  runs = 0;
  return count;
}

const struct other_copy other_copy = {apply, restore, refresh, hooked, (void *)crebind_apply};
