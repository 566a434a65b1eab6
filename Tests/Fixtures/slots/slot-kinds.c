/// One symbol with three slots in one image: the call's, the one that its
/// address is loaded from, and a pointer in data. All three are rebound, and
/// each can be left out.

#include "steps.h"

COUNTING_HOOK(pid_t)

/// Also an absolute slot, but the program has put something else there since.
static pid_t own(void) { return 1; }

pid_t (*pointer)(void) = getppid;
pid_t (*assigned)(void) = getppid;
/// An absolute slot with an addend.
const char *behind = (const char *)getppid + 4;

__attribute__((noinline)) static pid_t (*address(void))(void) { return getppid; }

/// How many of the three ways lead to the hook.
static int reached(void) {
  hooked = 0;
  getppid();
  pointer();
  pid_t (*volatile loaded)(void) = address();
  loaded();
  return hooked;
}

static int reached_by(unsigned kinds) {
  const char *former = behind;
  crebind_options options = {.slot_kinds = kinds};
  crebind_handle *handle = REBIND("getppid", hook, &original, &options, NULL);
  int count = reached();
  CHECK(assigned == own);
#if defined(__i386__) || defined(__arm__)
  CHECK(behind == former);  // where the addend was in the slot, it is not known any more
#else
  CHECK((kinds & CREBIND_ABSOLUTE) == 0 || behind == (const char *)hook + 4);
#endif
  RESTORE(handle);
  CHECK(reached() == 0 && behind == former);
  return count;
}

int main(void) {
  assigned = own;
  int jump_slots = reached_by(CREBIND_JUMP_SLOT), glob_dats = reached_by(CREBIND_GLOB_DAT);
  int absolutes = reached_by(CREBIND_ABSOLUTE);
  // Some linkers serve calls and addresses from one slot, and ppc64le's load
  // addresses from absolute ones.
#ifdef __riscv
  CHECK(glob_dats == absolutes && jump_slots + absolutes == 3);
#else
  CHECK(absolutes >= 1 && jump_slots + glob_dats + absolutes == 3);
  CHECK(reached_by(CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT) == jump_slots + glob_dats);
#endif
  CHECK(reached_by(CREBIND_GLOB_DAT | CREBIND_ABSOLUTE) == 3 - jump_slots);
  CHECK(reached_by(CREBIND_ALL_SLOT_KINDS) == 3);
  CHECK(reached_by(0) == 3);
  printf("%d by jump slot, %d by glob dat, %d by absolute\n", jump_slots, glob_dats, absolutes);
}
