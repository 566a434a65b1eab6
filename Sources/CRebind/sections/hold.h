/// References to images, by the loader.

#if defined(__linux__)
#pragma once

#include "CRebind.h"

#pragma GCC visibility push(hidden)

/// Keeps the image that an address is in for good.
crebind_status crebind_hold_image_with(uintptr_t address);

#pragma GCC visibility pop
#endif
