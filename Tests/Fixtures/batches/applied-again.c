/// A hook that another copy of CRebind lies on top of is restored and applied again. It takes no
/// slot that leads to it by that copy's hook: it would lead back to itself. Both hooks run once a
/// call, of a library that is loaded before and of one that is loaded after.
///
/// Usage: applied-again COPY CALLER CALLER; COPY is built of this file with -DCOPY, and the
/// callers with -DCALLER.

#include "steps.h"

#ifdef CALLER

int call(void);
int call(void) { return atoi("7"); }

#else

static int runs;
static int (*original)(const char *);
static crebind_handle *handle;

static int hook(const char *text) {
  CHECK(runs++ < 10);
  return original(text);
}

static void apply(void) {
  handle = REBIND("atoi", hook, &original, NULL, NULL);
}

static crebind_status restore(void) { return crebind_restore(handle, NULL, NULL); }

static int take_runs(void) {
  int count = runs;
  runs = 0;
  return count;
}

struct copy {
  void (*apply)(void);
  crebind_status (*restore)(void);
  int (*take_runs)(void);
};

#ifdef COPY
extern const struct copy copy;
const struct copy copy = {apply, restore, take_runs};
#else

static int (*load_caller(const char *path))(void) {
  return FIND(OPEN(path, RTLD_LAZY), "call");
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  const struct copy *other = FIND(OPEN(argv[1], RTLD_NOW), "copy");
  apply();
  other->apply();
  crebind_handle *covered = handle;
  CHECK(restore() == CREBIND_COVERED);
  int (*callers[2])(void) = {load_caller(argv[2]), NULL};
  apply();
  callers[1] = load_caller(argv[3]);
  for (int i = 0; i < 2; i++) {
    CHECK(callers[i]() == 7);
    CHECK(take_runs() == 1 && other->take_runs() == 1);
  }
  CHECK(other->restore() == CREBIND_OK);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  for (int i = 0; i < 2; i++) {
    CHECK(callers[i]() == 7);
    CHECK(take_runs() == 1 && other->take_runs() == 0);
  }
  CHECK(restore() == CREBIND_OK && crebind_restore(covered, NULL, NULL) == CREBIND_OK);
  for (int i = 0; i < 2; i++) {
    CHECK(callers[i]() == 7);
    CHECK(take_runs() == 0 && other->take_runs() == 0);
  }
  printf("each active hook ran once a call\n");
}

#endif
#endif
