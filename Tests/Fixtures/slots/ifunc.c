/// The original of an unresolved slot may be an IFUNC: its resolver is called
/// as the loader calls it.

#include "steps.h"

#include <sys/auxv.h>

int pick(void);
int times_resolved(void);
unsigned long given_hwcap(void);
const void *given_more(void);

static int (*original)(void);
static int hook(void) { return original() + 1; }

int main(void) {
  int before = times_resolved();
  crebind_handle *handle = REBIND("pick", hook, &original, NULL, NULL);
  CHECK(times_resolved() > before);
#if defined(__aarch64__)
  CHECK(given_hwcap() == (getauxval(AT_HWCAP) | 1UL << 62));
  CHECK(given_more() != NULL);
#elif defined(__riscv)
  CHECK(given_hwcap() == getauxval(AT_HWCAP));
  struct {
    int64_t key;
    uint64_t value;
  } pair = {0, 0};
  int (*probe)(void *, size_t, size_t, unsigned long *, unsigned) =
      (int (*)(void *, size_t, size_t, unsigned long *, unsigned))given_more();
  // Success, or ENOSYS and the like, as a positive number.
  CHECK(probe != NULL && probe(&pair, 1, 0, NULL, 0) >= 0);
#elif !defined(__x86_64__) && !defined(__i386__)
  CHECK(given_hwcap() == getauxval(AT_HWCAP));
#endif
  CHECK(pick() == 8);
  RESTORE(handle);
  CHECK(pick() == 7);
  printf("resolved\n");
}
