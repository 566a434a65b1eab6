/// The reentrancy guard that replacements may use.

#if defined(__linux__)
#include "CRebind.h"
#include "runtime/thread.h"

__thread struct crebind_thread crebind_thread CREBIND_TLS;

bool crebind_enter(unsigned guard) {
  uint64_t bit = UINT64_C(1) << guard % 64;
  if ((crebind_thread.entered & bit) != 0) return false;
  crebind_thread.entered |= bit;
  return true;
}

void crebind_leave(unsigned guard) {
  crebind_thread.entered &= ~(UINT64_C(1) << guard % 64);
}
#endif
