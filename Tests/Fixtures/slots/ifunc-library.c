/// A function whose resolver keeps what it was given: see the machines' headers
/// in Sources/CRebind/arch.

#include <stdint.h>

static volatile int resolved;
static volatile unsigned long hwcap;
static const void *volatile more;

static int seven(void) { return 7; }

#if defined(__aarch64__) || defined(__riscv)
__attribute__((used)) static int (*resolve(uint64_t first, const void *second))(void) {
  hwcap = first;
  more = second;
  resolved++;
  return seven;
}
#elif defined(__x86_64__) || defined(__i386__)
__attribute__((used)) static int (*resolve(void))(void) {
  resolved++;
  return seven;
}
#else
__attribute__((used)) static int (*resolve(unsigned long first))(void) {
  hwcap = first;
  resolved++;
  return seven;
}
#endif

int pick(void) __attribute__((ifunc("resolve")));

int times_resolved(void) { return resolved; }
unsigned long given_hwcap(void) { return hwcap; }
const void *given_more(void) { return more; }
