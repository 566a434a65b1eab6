/// Three rebindings of one symbol form one chain a slot: the newest is reached
/// first, any may go, in any order, and the slots end as they began.

#include "steps.h"

static char trace[16];
static pid_t (*originals[3])(void);

#define HOOK(n)                    \
  static pid_t hook##n(void) {     \
    strcat(trace, #n);             \
    return originals[n]();         \
  }
HOOK(0)
HOOK(1)
HOOK(2)
static pid_t (*const hooks[])(void) = {hook0, hook1, hook2};

pid_t (*pointer)(void) = getppid;

/// The hooks that calls through each kind of slot reach, newest first.
static void expect(const char *expected) {
  trace[0] = 0;
  pid_t parent = getppid();
  CHECK(strcmp(trace, expected) == 0);
  trace[0] = 0;
  CHECK(pointer() == parent);
  CHECK(strcmp(trace, expected) == 0);
}

int main(void) {
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  char *before = read_maps();
  pid_t (*first)(void) = pointer;
  for (size_t order = 0; order < 6; order++) {
    crebind_handle *handles[3];
    size_t changed = 0;
    for (int i = 0; i < 3; i++) {
      crebind_rebinding rebinding = {.name = "getppid",
                                     .replacement = (void *)hooks[i],
                                     .original = (void **)&originals[i]};
      crebind_report report;
      handles[i] = APPLY(&rebinding, 1, NULL, &report);
      CHECK(i == 0 || report.changed == changed);
      changed = report.changed;
    }
    char active[4] = "210";
    expect(active);
    for (int i = 0; i < 3; i++) {
      int gone = orders[order][i];
      RESTORE(handles[gone]);
      char *place = strchr(active, '0' + gone);
      memmove(place, place + 1, strlen(place));
      expect(active);
    }
    CHECK(pointer == first && strcmp(before, read_maps()) == 0);
  }

  // A slot that someone else has changed is left alone, and reported.
  crebind_report report;
  crebind_handle *handle = REBIND("getppid", hook0, &originals[0], NULL, NULL);
  pointer = hook2;
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK);
  CHECK(report.skipped == 1 && pointer == hook2);
  printf("6 orders\n");
}
