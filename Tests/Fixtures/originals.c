/// The original of each slot is the function that the slot would lead to without us, before any
/// call has bound it. It is the program's definition, a -Bsymbolic library's own, a local scope's,
/// or the choice of an IFUNC's resolver.

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <string.h>

int value(void) { return 1; }

static int (*original)(void), (*original_indirect)(void);
static int hook(void) { return 100; }

struct expectation {
  const char *library;
  int result;
  int seen;
};

static void visit(const crebind_slot_info *slot, void *context) {
  const char *slash = strrchr(slot->image.path, '/');
  for (struct expectation *expected = context; expected->library != NULL; expected++) {
    if (strcmp(slash != NULL ? slash + 1 : "", expected->library) != 0) continue;
    if (strcmp(slot->symbol, expected->result == 7 ? "indirect" : "value") != 0) continue;
    expected->seen++;
    CHECK(((int (*)(void))slot->original)() == expected->result);
    CHECK(slot->is_lazy && slot->current == slot->value && slot->kind == CREBIND_JUMP_SLOT);
  }
}

int main(void) {
  void *interposed = dlopen("libinterposed.so", RTLD_LAZY | RTLD_LOCAL);
  void *symbolic = dlopen("libsymbolic.so", RTLD_LAZY | RTLD_LOCAL);
  CHECK(interposed != NULL && symbolic != NULL);
  crebind_rebinding rebindings[] = {
      {.name = "value", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "indirect", .replacement = (void *)hook, .original = (void **)&original_indirect},
  };
  crebind_handle *handle;
  crebind_report report;
  CHECK(crebind_apply(rebindings, 2, NULL, &handle, &report, NULL) == CREBIND_OK);
  struct expectation expected[] = {
      {"libinterposed.so", 1, 0}, {"libsymbolic.so", SYMBOLIC, 0}, {"libinterposed.so", 7, 0},
      {NULL, 0, 0}};
  CHECK(crebind_slots(handle, visit, expected, NULL) == CREBIND_OK);
  CHECK(expected[0].seen == 1 && expected[2].seen == 1);
  CHECK(expected[1].seen == (SYMBOLIC != 0));
  CHECK(original_indirect() == 7);

  int (*call)(void) = (int (*)(void))dlsym(interposed, "call_interposed");
  int (*call_indirect)(void) = (int (*)(void))dlsym(interposed, "call_indirect");
  CHECK(call() == 100 && call_indirect() == 100);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(call() == 1 && call_indirect() == 7);
  printf("originals\n");
}
