/// Slots that are left to another local scope.
///
/// Two plug-ins may each define a function of one name, and call it through a slot of their own. A
/// rebinding has one original: the replacement would lead the calls of one plug-in to the function
/// of the other, or to memory that the other has left. A wrong function is worse than a missed call.
/// So a slot is left as it is where its own original is a definition in a local scope, and another
/// definition is the one that the rebinding publishes. That is the one that dlsym(RTLD_DEFAULT)
/// finds. Without one, or in a scope that names images or a library, it is the first one in load
/// order that the slots lead to. Versions of one library's function are rebound together.

#ifndef CREBIND_STORING_OTHER_SCOPES_H
#define CREBIND_STORING_OTHER_SCOPES_H

#include "storing/plan.h"

#pragma GCC visibility push(hidden)

/// The image outside of the global scope whose definition of the name an address is; SIZE_MAX for an
/// address of another kind.
crebind_status crebind_local_definer(struct crebind_world *world, const struct crebind_name *name,
                                     uintptr_t address, size_t *definer);

/// The local definer of what an item of the batch publishes, where that is one of those from `first`
/// on; SIZE_MAX for a definition of the global scope. CREBIND_BUSY if the loader has to be asked.
crebind_status crebind_published_definer(struct crebind_world *world,
                                         const struct crebind_handle *handle,
                                         const struct crebind_item *item, size_t first,
                                         bool has_others, size_t *definer);

/// Moves the slots that are left to another scope from the plan's entries to `left_alone`.
crebind_status crebind_leave_other_scopes(struct crebind_plan *plan,
                                          const struct crebind_handle *handle);

#pragma GCC visibility pop

#endif
