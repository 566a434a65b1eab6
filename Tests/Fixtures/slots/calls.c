/// A library function that was never called before is rebound and called five
/// times, each time on to the original: the hook runs five times.
/// Then the rebinding is restored, and the hook runs no more.

#include "steps.h"
#include "permissions.h"

static int hooked;
static pid_t (*original)(void);

static pid_t hook(void) {
  hooked++;
  return original();
}

/// The result of getppid, by another witness, so that it stays uncalled.
static pid_t parent_by_proc(void) {
  FILE *file = fopen("/proc/self/stat", "r");
  int parent = 0;
  CHECK(file != NULL && fscanf(file, "%*d %*s %*c %d", &parent) == 1);
  fclose(file);
  return parent;
}

int main(void) {
  pid_t parent = parent_by_proc();
  char *before = read_maps();
  crebind_report report;
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, &report);
  CHECK(report.changed >= 1);
  CHECK(keeps_permissions(before));

  for (int i = 0; i < 5; i++) {
    CHECK(getppid() == parent);
  }
  CHECK(hooked == 5);

  crebind_report restored;
  CHECK(crebind_restore(handle, &restored, NULL) == CREBIND_OK);
  CHECK(restored.changed == report.changed && restored.skipped == 0);
  CHECK(strcmp(before, read_maps()) == 0);
  getppid();
  CHECK(hooked == 5);
  printf("the hook ran %d of 5\n", hooked);
}
