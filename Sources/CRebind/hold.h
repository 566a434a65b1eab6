/// References to images, by the loader.

#ifndef CREBIND_HOLD_H
#define CREBIND_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Keeps the image that an address is in for good; false if that cannot be had.
bool crebind_hold_image_with(uintptr_t address);

#pragma GCC visibility pop

#endif
