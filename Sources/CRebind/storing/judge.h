/// The choice of redirected definitions is judged anew when images come and go, and when one is
/// opened again with RTLD_GLOBAL. Of each version of a name it is the first in the global scope, or
/// the only one in a local scope. A definition that is so no longer gets its value back; what was
/// bound to it meanwhile are slots, and they stay rebound.

#ifndef CREBIND_STORING_JUDGE_H
#define CREBIND_STORING_JUDGE_H

#include "storing/commit.h"

#pragma GCC visibility push(hidden)

/// An image has gone, and the entry's definition with it.
void crebind_judge_later(struct crebind_handle *handle, const struct crebind_entry *entry);

/// True if a name of an active batch has to be judged.
bool crebind_judge_is_due(void);

/// Judges the names that are due, of all active batches; phase C. CREBIND_BUSY if
/// the loader has to be asked first.
crebind_status crebind_judge(struct crebind_world *world, struct crebind_commit *commit);

#pragma GCC visibility pop

#endif
