/// The loops that the core is measured against.

#ifndef LOOPS_H
#define LOOPS_H

#include "CRebind.h"

#include <stddef.h>

/// The counts of a scan of all images.
struct census {
  size_t images, relocations, relative;
  /// The sum of every r_info, so that no compiler leaves the scan out.
  size_t sum;
};

/// Reads the r_info of every relocation of every image once.
struct census scan(void);

/// Rebinds as fishhook does: every relocation's name is compared with every
/// name of the batch, and each slot's page is opened by a call of its own and
/// left open. Returns the number of slots changed.
size_t fishhook_loop(const crebind_rebinding *rebindings, size_t count);

#endif
