/// A lazy resolver has overtaken a batch that looks at loaded images only; then another image comes
/// and goes. The slot is not taken for that of a new image: verify finds it and stores again, for
/// the whole chain. A batch that is applied on the overtaken word lies on top of the chain. A word
/// that someone else has stored is found below another batch, too, and left alone.
///
/// Usage: overtaken CALLER OTHER-IMAGE

#include "steps.h"

static int hooked[2];
static pid_t (*originals[2])(void);
static pid_t hook0(void) {
  hooked[0]++;
  return originals[0]();
}
static pid_t hook1(void) {
  hooked[1]++;
  return originals[1]();
}
static pid_t foreign(void) { return 1; }
static pid_t upper(void) { return hook1(); }

static uintptr_t *slot;
static void *value;
static void find_slot(const crebind_slot_info *info, void *unused) {
  (void)unused;
  if (!info->is_relro && info->is_lazy) slot = (uintptr_t *)info->address;
  value = info->original;
}

static crebind_report verify(crebind_handle *handle) {
  crebind_report report;
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK);
  return report;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  pid_t parent = getppid();
  void *caller = OPEN(argv[1], RTLD_LAZY);
  pid_t (*call)(void) = FIND(caller, "plugin_call");
  struct link_map *map;
  CHECK(dlinfo(caller, RTLD_DI_LINKMAP, &map) == 0);
  const void *header = (const void *)map->l_addr;
  const crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = &header, .image_count = 1};
  void *const hooks[] = {(void *)hook0, (void *)hook1};
  crebind_handle *handles[2];
  for (int i = 0; i < 2; i++) {
    handles[i] = REBIND("getppid", hooks[i], &originals[i], &options, NULL);
    if (i == 0) CHECK(crebind_slots(handles[0], find_slot, NULL, NULL) == CREBIND_OK);
  }
  CHECK(slot != NULL && call() == parent && hooked[0] == 1 && hooked[1] == 1);

  // The store that _dl_fixup does.
  *slot = (uintptr_t)value;
  CHECK(call() == parent && hooked[0] == 1);
  void *other = OPEN(argv[2], RTLD_LAZY);
  CHECK(dlclose(other) == 0);
  CHECK(verify(handles[0]).changed == 1);
  CHECK(call() == parent && hooked[0] == 2 && hooked[1] == 2);
  // It may have found the lower replacement.
  *slot = (uintptr_t)hook0;
  CHECK(verify(handles[1]).changed == 1 && verify(handles[0]).changed == 0);
  CHECK(call() == parent && hooked[0] == 3 && hooked[1] == 3);

  *slot = (uintptr_t)value;
  crebind_handle *third = REBIND("getppid", upper, NULL, &options, NULL);
  CHECK(call() == parent && hooked[0] == 4 && hooked[1] == 4);
  RESTORE(third);
  CHECK(call() == parent && hooked[0] == 5 && hooked[1] == 5);

  *slot = (uintptr_t)foreign;
  for (int i = 0; i < 2; i++) CHECK(verify(handles[i]).skipped == 1);
  crebind_report report;
  // It may lead on to the upper one, which led to the lower one.
  CHECK(crebind_restore(handles[0], &report, NULL) == CREBIND_OK && report.skipped == 1);
  CHECK(crebind_restore(handles[1], &report, NULL) == CREBIND_COVERED && report.skipped == 1);
  CHECK(call() == 1);
  *slot = (uintptr_t)value;
  CHECK(crebind_restore(handles[1], &report, NULL) == CREBIND_OK && call() == parent);
  printf("found again\n");
}
