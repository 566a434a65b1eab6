/// The common part of the headers that refuse system calls: filters of seccomp(2). musl comes
/// without the kernel's headers, so that the numbers stand here.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

enum { LOAD = 0x20, EQUAL = 0x15, AT_LEAST = 0x35, HAS_BITS = 0x45, RETURN = 0x06 };
enum { ALLOW = 0x7fff0000, FAIL = 0x00050000, TRAP = 0x00030000 };

/// Of a `struct seccomp_data`: the call's number, and the low half of an argument.
enum { CALL_NUMBER = 0 };
#define CALL_ARGUMENT(i) (16 + (i) * 8 + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

struct filter_step {
  uint16_t code;
  uint8_t if_true, if_false;
  uint32_t value;
};

/// From now on this thread, and those that it starts, have their calls filtered. False where
/// the kernel has no filters.
static inline bool filter_calls(struct filter_step *steps, size_t count) {
  enum { PER_FILTER = 2 };
  const struct {
    unsigned short count;
    void *steps;
  } program = {(unsigned short)count, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0
         && prctl(PR_SET_SECCOMP, PER_FILTER, &program) == 0;
}
