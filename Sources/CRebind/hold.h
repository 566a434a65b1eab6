/// References to images, by the loader.

#ifndef CREBIND_HOLD_H
#define CREBIND_HOLD_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Keeps the image that this code is in for good; false if that cannot be had.
bool crebind_hold_own_image(void);

#pragma GCC visibility pop

#endif
