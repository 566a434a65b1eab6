/// A plug-in with a copy of CRebind of its own; see two-copies.c.

#include "steps.h"
#include "two-copies.h"

static int runs;
static pid_t (*original)(void);
static crebind_handle *handle;

static pid_t hook(void) {
  runs++;
  return original();
}

static void apply(void) {
  handle = REBIND("getppid", hook, &original, NULL, NULL);
}

static bool restore(void) {
  crebind_status status = crebind_restore(handle, NULL, NULL);
  CHECK(status == CREBIND_OK || status == CREBIND_COVERED);
  return status == CREBIND_OK;
}

static void refresh(void) { CHECK(crebind_refresh(NULL) == CREBIND_OK); }

static int hooked(void) {
  int count = runs;
  runs = 0;
  return count;
}

const struct other_copy other_copy = {apply, restore, refresh, hooked, (void *)crebind_apply};
