/// Finds rebindings without effect: no slot leads to them, and no later slot can.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// Judges a rebinding that no slot in scope leads to, by what the batch expects: CREBIND_OK,
/// CREBIND_UNDEFINED or CREBIND_UNREACHED.
crebind_status crebind_check_reach(const struct crebind_world *world,
                                   const struct crebind_batch *batch,
                                   const struct crebind_item *item);

/// True if a sanitizer defines the symbol in the program, whose own calls are in scope and go
/// through no slot. O(1) for most symbols.
bool crebind_is_intercepted(const struct crebind_world *world, const struct crebind_handle *handle,
                            const struct crebind_item *item);

#pragma GCC visibility pop
#endif
