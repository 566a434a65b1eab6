/// Has the kernel refuse some calls of mprotect.

#include "call-filter.h"
#include "check.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/// From now on this thread, and those that it starts, cannot open the pages from `start` to
/// `end`, or cannot close them. False where the kernel has no filters.
static inline bool refuse_protect(uintptr_t start, uintptr_t end, bool refuses_closing) {
  // The filter compares the lower halves of addresses.
  CHECK(start >> 31 >> 1 == end >> 31 >> 1);
  struct filter_step filter[] = {
      {LOAD, 0, 0, CALL_NUMBER},
      {EQUAL, 0, 6, SYS_mprotect},
      {LOAD, 0, 0, CALL_ARGUMENT(0)},
      {AT_LEAST, 0, 4, (uint32_t)start},
      {AT_LEAST, 3, 0, (uint32_t)end},
      {LOAD, 0, 0, CALL_ARGUMENT(2)},
      {HAS_BITS, refuses_closing, !refuses_closing, PROT_WRITE},
      {RETURN, 0, 0, FAIL | EACCES},
      {RETURN, 0, 0, ALLOW},
  };
  return filter_calls(filter, sizeof filter / sizeof *filter);
}
