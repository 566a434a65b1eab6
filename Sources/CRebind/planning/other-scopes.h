/// Slots that are left to another local scope.
///
/// Two plug-ins may each define a function of one name, and call it through a slot of their own. A
/// rebinding has one original: the replacement would lead the calls of one plug-in to the function
/// of the other, or to memory that the other has left. A wrong function is worse than a missed
/// call. So a slot is left as it is if its own original is a definition in a local scope, and the
/// rebinding publishes another definition. The published definition is the one that
/// dlsym(RTLD_DEFAULT) finds. If it finds none, or in a scope that names images or a library, it is
/// the first one in load order that the slots lead to. Versions of one library's function are
/// rebound together.

#if defined(__linux__)
#pragma once

#include "planning/plan.h"

#pragma GCC visibility push(hidden)

/// Moves the slots that are left to another scope from the plan's entries to `left_alone`.
crebind_status crebind_leave_other_scopes(struct crebind_plan *plan,
                                          const struct crebind_handle *handle);

#pragma GCC visibility pop
#endif
