/// The choice of redirected definitions is judged anew when images come and go, and when one is
/// opened again with RTLD_GLOBAL. For each version of a name, the first definition in the global
/// scope is redirected, or else the only one in a local scope. A definition that is no longer the
/// first or the only one gets its value back. Slots that were bound to it meanwhile stay rebound.

#if defined(__linux__)
#pragma once

#include "patching/commit.h"

#pragma GCC visibility push(hidden)

/// True if a name of an active batch has to be judged.
bool crebind_redirect_is_due(void);

/// Judges the names that are due, of all active batches; phase C. CREBIND_BUSY if
/// the loader has to be asked first.
crebind_status crebind_redirect(struct crebind_world *world, struct crebind_commit *commit);

/// Judges the definitions of a batch that were postponed; phase C. CREBIND_BUSY if the loader has
/// to be asked first: they stay postponed.
crebind_status crebind_redirect_postponed(struct crebind_handle *handle,
                                          struct crebind_world *world,
                                          struct crebind_commit *commit);

#pragma GCC visibility pop
#endif
