/// Somebody else stores into a slot between two batches. Restoring the lower one says that the slot
/// still leads to it, and a later call gives it back once it holds the lower one's value. And what
/// is counted are slots, not definitions.

#include "steps.h"

static int calls[3];
static pid_t (*originals[3])(void);
static pid_t lower(void) {
  calls[0]++;
  return originals[0]();
}
static pid_t foreign(void) {
  calls[1]++;
  return originals[1]();
}
static pid_t upper(void) {
  calls[2]++;
  return originals[2]();
}
static const crebind_rebinding rebindings[] = {
    {.name = "getppid", .replacement = (void *)lower, .original = (void **)&originals[0]},
    {.name = "getppid", .replacement = (void *)upper, .original = (void **)&originals[2]},
};

static void find(const crebind_slot_info *slot, void *address) {
  *(uintptr_t *)address = slot->address;
}

int main(void) {
  const crebind_options program = {
      .scope = CREBIND_SCOPE_MAIN, .slot_kinds = CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT};
  crebind_handle *handles[2];
  crebind_report report;
  handles[0] = APPLY(&rebindings[0], 1, NULL, &report);
  size_t slots = report.changed;
  CHECK(slots != 0);
  CHECK(crebind_verify(handles[0], &report, NULL) == CREBIND_OK);
  CHECK(report.unchanged == slots && report.changed == 0 && report.skipped == 0);
  CHECK(crebind_restore(handles[0], &report, NULL) == CREBIND_OK && report.changed == slots);

  handles[0] = APPLY(&rebindings[0], 1, &program, &report);
  CHECK(report.changed == 1);
  uintptr_t address = 0;
  CHECK(crebind_slots(handles[0], find, &address, NULL) == CREBIND_OK && address != 0);
  originals[1] = *(pid_t(**)(void))address;
  *(pid_t(**)(void))address = foreign;
  handles[1] = APPLY(&rebindings[1], 1, &program, NULL);
  crebind_error error;
  CHECK(crebind_restore(handles[0], &report, &error) == CREBIND_COVERED);
  CHECK(report.changed == 0 && report.skipped == 1 && error.address == address);
  getppid();
  CHECK(calls[0] == 1 && calls[1] == 1 && calls[2] == 1);
  CHECK(crebind_restore(handles[1], &report, NULL) == CREBIND_OK && report.changed == 1);
  CHECK(*(pid_t(**)(void))address == foreign);
  CHECK(crebind_restore(handles[0], &report, NULL) == CREBIND_COVERED);
  CHECK(crebind_verify(handles[0], &report, NULL) == CREBIND_OK && report.skipped == 1);
  *(pid_t(**)(void))address = lower;
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  getppid();
  CHECK(*(pid_t(**)(void))address != lower && calls[0] == 1);
  CHECK(crebind_restore(handles[0], &report, NULL) == CREBIND_OK && report.skipped == 0);
  printf("told\n");
}
