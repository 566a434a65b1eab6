#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/publish.h"
#include "runtime/runtime.h"

#include <sys/syscall.h>

/// Guarded by our lock.
static bool is_pending;

// Clang reports an atomic store to ThreadSanitizer, whatever the attribute says.
__attribute__((no_sanitize("thread"))) void crebind_publish(crebind_published *place,
                                                            uintptr_t word) {
  volatile crebind_published *published = place;
  if (*published == word) return;
  *published = word;
  is_pending = true;
}

/// The commands of linux/membarrier.h, which older systems lack.
enum { GLOBAL = 1 << 0, PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static bool succeeds(int command) {
  return crebind_system_call(SYS_membarrier, command, 0, 0) == 0;
}

void crebind_publish_end(void) {
  if (CREBIND_KEEPS_ORDER_OF_LOADS || !is_pending) return;
  is_pending = false;
  // Registered once; before Linux 4.14 only the slow one exists. Where all are refused, a
  // processor may still predict a call that no thread has made before.
  if (!succeeds(PRIVATE_EXPEDITED)
      && !(succeeds(REGISTER_PRIVATE_EXPEDITED) && succeeds(PRIVATE_EXPEDITED)))
    succeeds(GLOBAL);
}
#endif
