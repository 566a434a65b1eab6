/// The original of each slot is the function that the slot would lead to without us, before any
/// call has bound it. It is the program's definition, a -Bsymbolic library's own, a local scope's,
/// or the choice of an IFUNC's resolver.

#include "steps.h"

int value(void) { return 1; }

static int (*original)(void), (*original_indirect)(void);
static int hook(void) { return 100; }

struct expectation {
  const char *library;
  int result;
  int seen;
};

static void visit(const crebind_slot_info *slot, void *context) {
  for (struct expectation *expected = context; expected->library != NULL; expected++) {
    if (strcmp(file_name(slot->image.path), expected->library) != 0) continue;
    if (strcmp(slot->symbol, expected->result == 7 ? "indirect" : "value") != 0) continue;
    expected->seen++;
    CHECK(((int (*)(void))slot->original)() == expected->result);
    CHECK(slot->is_lazy && slot->current == slot->value && slot->kind == CREBIND_JUMP_SLOT);
  }
}

int main(void) {
  void *interposed = OPEN("libinterposed.so", RTLD_LAZY | RTLD_LOCAL);
  OPEN("libsymbolic.so", RTLD_LAZY | RTLD_LOCAL);
  crebind_rebinding rebindings[] = {
      {.name = "value", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "indirect", .replacement = (void *)hook, .original = (void **)&original_indirect},
  };
  crebind_report report;
  crebind_handle *handle = APPLY(rebindings, 2, NULL, &report);
  struct expectation expected[] = {
      {"libinterposed.so", 1, 0}, {"libsymbolic.so", SYMBOLIC, 0}, {"libinterposed.so", 7, 0},
      {NULL, 0, 0}};
  CHECK(crebind_slots(handle, visit, expected, NULL) == CREBIND_OK);
  CHECK(expected[0].seen == 1 && expected[2].seen == 1);
  CHECK(expected[1].seen == (SYMBOLIC != 0));
  CHECK(original_indirect() == 7);

  int (*call)(void) = FIND(interposed, "call_interposed");
  int (*call_indirect)(void) = FIND(interposed, "call_indirect");
  CHECK(call() == 100 && call_indirect() == 100);
  RESTORE(handle);
  CHECK(call() == 1 && call_indirect() == 7);
  printf("originals\n");
}
