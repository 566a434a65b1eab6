/// The operations of futex(2) that this core uses. <linux/futex.h> belongs to
/// the kernel's headers, which do not come with every C library.

#if defined(__linux__)
#pragma once

enum {
  CREBIND_FUTEX_PRIVATE = 128,
  CREBIND_FUTEX_WAIT = 0 | CREBIND_FUTEX_PRIVATE,
  CREBIND_FUTEX_WAKE = 1 | CREBIND_FUTEX_PRIVATE,
  CREBIND_FUTEX_WAKE_OP = 5 | CREBIND_FUTEX_PRIVATE,
  /// For WAKE_OP: `*word |= 0`, then compare with 0 for equality.
  CREBIND_FUTEX_OR_NOTHING = 2 << 28,
};
#endif
