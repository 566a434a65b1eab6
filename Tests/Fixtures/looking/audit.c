/// Who else has hooked this process? A clean one has no findings; a slot that
/// was patched by hand is found, with what it leads to, and so is ours, as ours.
/// A definition that was preloaded is what the loader binds, and no finding.

#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return original(); }

pid_t foreign_hook(void) { return 1; }

/// A pointer that the program has assigned is no hook.
pid_t (*assigned)(void) = getppid;
/// Nor is one behind the beginning of what it refers to, as the type information of
/// C++ has them.
const char *const behind = (const char *)getppid + 8;
/// Nor one of a symbol that is undefined and hidden: gold leaves a slot for it, into which the loader
/// puts where the image begins.
extern const char __start_absent[] __attribute__((weak, visibility("hidden")));
const char *volatile absent;

struct seen {
  int ours, foreign;
};

static void visit(const crebind_finding *finding, void *context) {
  struct seen *seen = context;
  if (strcmp(finding->slot.symbol, "getppid") != 0)
    fprintf(stderr, "%s in %s leads to %s + %zu in %s\n", finding->slot.symbol,
            finding->slot.image.path, finding->target_symbol, (size_t)finding->target_offset,
            finding->target.path);
  CHECK(strcmp(finding->slot.symbol, "getppid") == 0);
  CHECK(finding->slot.original != NULL && finding->slot.current != finding->slot.value);
  if (finding->is_ours) {
    seen->ours++;
    return;
  }
  seen->foreign++;
  CHECK(strcmp(finding->target_symbol, "foreign_hook") == 0 && finding->target_offset == 0);
  CHECK(finding->target.header == finding->slot.image.header);
}

static struct seen audit(void) {
  struct seen seen = {0, 0};
  CHECK(crebind_audit(visit, &seen, NULL) == CREBIND_OK);
  return seen;
}

static void find_slot(const crebind_slot_info *slot, void *context) {
  extern const char __ehdr_start;
  if (slot->image.header == &__ehdr_start) *(uintptr_t *)context = slot->address;
}

/// Stores into a slot as a careless tool does.
static void patch(uintptr_t address, uintptr_t word) {
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  void *page = (void *)(address & ~(uintptr_t)(size - 1));
  CHECK(mprotect(page, size, PROT_READ | PROT_WRITE) == 0);
  *(uintptr_t *)address = word;
}

int main(void) {
  assigned = foreign_hook;
  absent = __start_absent;
  CHECK(getppid() > 0);
  struct seen clean = audit();
  CHECK(clean.ours == 0 && clean.foreign == 0);

  crebind_rebinding rebinding = {.name = "getppid", .replacement = (void *)hook,
                                 .original = (void **)&original};
  uintptr_t address = 0;
  crebind_options options = {.slot_kinds = CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT};
  CHECK(crebind_plan(&rebinding, 1, &options, find_slot, &address, NULL) == CREBIND_OK);
  CHECK(address != 0 && original == NULL);  // a dry run
  uintptr_t former = *(uintptr_t *)address;
  patch(address, (uintptr_t)foreign_hook);
  struct seen patched = audit();
  CHECK(patched.ours == 0 && patched.foreign == 1);
  // It is named so, though it is redirected itself.
  crebind_handle *redirected = REBIND("foreign_hook", hook, NULL, NULL, NULL);
  patched = audit();
  CHECK(patched.ours == 0 && patched.foreign == 1);
  RESTORE(redirected);
  patch(address, former);

  crebind_report report;
  crebind_handle *handle = APPLY(&rebinding, 1, &options, &report);
  struct seen hooked = audit();
  CHECK(hooked.ours == (int)report.changed && hooked.foreign == 0);

  // Overtaken by someone else: told by verify, and left alone.
  patch(address, (uintptr_t)foreign_hook);
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK);
  CHECK(report.changed == 0 && report.skipped == 1);
  CHECK(*(uintptr_t *)address == (uintptr_t)foreign_hook);
  // Overtaken by the loader: stored again.
  patch(address, (uintptr_t)original);
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK);
  CHECK(report.changed == 1 && report.skipped == 0);
  CHECK(*(uintptr_t *)address == (uintptr_t)hook);
  RESTORE(handle);
  struct seen restored = audit();
  CHECK(restored.ours == 0 && restored.foreign == 0);
  printf("audited\n");
}
