/// Has the kernel refuse some calls of mprotect, by seccomp(2). musl comes without the
/// kernel's headers, so that the filter's numbers stand here.

#include "check.h"

#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/// From now on this thread, and those that it starts, cannot open the pages from `start` to
/// `end`, or cannot close them. False where the kernel has no filters.
static inline bool refuse_protect(uintptr_t start, uintptr_t end, bool refuses_closing) {
  enum { LOAD = 0x20, EQUAL = 0x15, AT_LEAST = 0x35, HAS_BITS = 0x45, RETURN = 0x06 };
  enum { ALLOW = 0x7fff0000, FAIL = 0x00050000, PER_FILTER = 2 };
  // Offsets into struct seccomp_data: the number, and the low halves of two arguments.
  const int low_half = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
  const unsigned address = 16 + (unsigned)low_half, protection = address + 2 * 8;
  struct {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t value;
  } filter[] = {
      {LOAD, 0, 0, 0},
      {EQUAL, 0, 6, SYS_mprotect},
      {LOAD, 0, 0, address},
      {AT_LEAST, 0, 4, (uint32_t)start},
      {AT_LEAST, 3, 0, (uint32_t)end},
      {LOAD, 0, 0, protection},
      {HAS_BITS, refuses_closing, !refuses_closing, PROT_WRITE},
      {RETURN, 0, 0, FAIL | EACCES},
      {RETURN, 0, 0, ALLOW},
  };
  const struct {
    unsigned short count;
    void *filter;
  } program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0
         && prctl(PR_SET_SECCOMP, PER_FILTER, &program) == 0;
}
