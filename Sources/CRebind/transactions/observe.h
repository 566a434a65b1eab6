/// The observers of images that come and go, below the public calls.

#if defined(__linux__)
#pragma once

#include "CRebind.h"

#pragma GCC visibility push(hidden)

/// Serves the images that came and went, and notes the events that the observers have to be told.
crebind_status crebind_look_for_images(crebind_error *error);

/// Tells the observers the events that have been noted and not told yet; phase E.
void crebind_tell_observers(void);

/// Adds an observer, and tells it the images that are loaded. No lock.
crebind_status crebind_observation_begin(const crebind_image_observer *observer,
                                         crebind_observation **result, crebind_error *error);

/// False if the observation has ended before. Waits for a callback on another thread.
bool crebind_observation_end(crebind_observation *observation);

#pragma GCC visibility pop
#endif
