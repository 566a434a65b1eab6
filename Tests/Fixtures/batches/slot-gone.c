/// The last slot of a rebinding goes with its image. The original that it gave stays: it leads
/// through the batch below, which a call under way on another thread still has to reach. It gives
/// way when that batch is restored.
///
/// Usage: slot-gone PLUGIN

#include "steps.h"

static int below_calls;
static pid_t (*below_original)(void);
static pid_t below(void) {
  below_calls++;
  return below_original();
}
COUNTING_HOOK(pid_t)

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  // The program itself has no slot of the function.
  pid_t parent = (pid_t)syscall(SYS_getppid);
  const crebind_options slots = {.slot_kinds = CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT};
  crebind_handle *lower = REBIND("getppid", below, &below_original, &slots, NULL);
  crebind_handle *upper = REBIND("getppid", hook, &original, NULL, NULL);
  void *image = OPEN(argv[1], RTLD_NOW);
  CHECK(CALL(image, "plugin_call") == parent && hooked == 1 && below_calls == 1);
  CHECK(dlclose(image) == 0);
  CHECK(original() == parent && below_calls == 2);
  RESTORE(lower);
  CHECK(original() == parent && below_calls == 2);
  image = OPEN(argv[1], RTLD_NOW);
  CHECK(CALL(image, "plugin_call") == parent && hooked == 2 && below_calls == 2);
  RESTORE(upper);
  printf("the original stayed\n");
}
