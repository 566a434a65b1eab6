/// The reentrancy guard that replacements may use.

#include "CRebind.h"

/// A bit a section. In the static TLS block, because the first access to dynamic
/// TLS allocates, and malloc may be the function that is replaced.
static __thread uint64_t entered __attribute__((tls_model("initial-exec")));

bool crebind_enter(unsigned guard) {
  uint64_t bit = UINT64_C(1) << guard % 64;
  if ((entered & bit) != 0) return false;
  entered |= bit;
  return true;
}

void crebind_leave(unsigned guard) { entered &= ~(UINT64_C(1) << guard % 64); }
