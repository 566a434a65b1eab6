/// The observers of images that come and go.

#ifndef CREBIND_OBSERVE_H
#define CREBIND_OBSERVE_H

#include "CRebind.h"

#pragma GCC visibility push(hidden)

/// Serves the images that came and went, and notes what the observers have to be
/// told.
crebind_status crebind_look_for_images(crebind_error *error);

/// Tells them what has been noted, and not been told; without any lock.
void crebind_tell_observers(void);

/// A child process has one thread: what others were telling, nobody is any more.
///
/// \param parent The forking thread's number in the parent.
void crebind_observers_forked(int parent);

#pragma GCC visibility pop

#endif
