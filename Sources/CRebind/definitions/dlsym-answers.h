/// The answers of dlsym and dlvsym to the images that hold replacements.
///
/// A replacement may ask for the function behind it, by RTLD_NEXT as in a library for LD_PRELOAD,
/// or by RTLD_DEFAULT or a handle. If the definition leads to the replacement, it would get itself,
/// and call itself for ever. So in these images the slots of dlsym and dlvsym lead here; see
/// transactions/dlsym-slots.h. RTLD_NEXT of a name whose replacement lives in the caller's image
/// gives that rebinding's original. For any other handle, the loader answers. If its answer is a
/// replacement of the name, the original takes its place, too. All other questions go on to the
/// function that the slot led to. They go by a jump, because the loader knows its caller, and so
/// what is next, by the return address.
///
/// Questions are answered on any thread, in constructors and under the loader's
/// locks, and an answer may run an IFUNC's resolver. So nothing is locked: the answers come
/// from a table that is made anew after each change.
///
/// We do not see the end of a question that is passed on by a jump, nor any question of an image
/// that is not covered yet. So a batch may have to wait for such questions; see
/// planning/postponed.h.

#if defined(__linux__)
#pragma once

#include "planning/active.h"
#include "world/world.h"

#pragma GCC visibility push(hidden)

/// The function that the slots of dlsym and of dlvsym lead to.
uintptr_t crebind_dlsym_wrapper(bool with_version);

/// Makes the table anew, from the active batches and from `new_handle`, which is about to be
/// active, or NULL; phase C. Without memory, returns false and leaves the table as it was.
///
/// - Complexity: O(rebindings, and the definitions that they redirect).
bool crebind_dlsym_publish(struct crebind_world *world,
                           const struct crebind_handle *new_handle);

/// True if the slots of dlsym or dlvsym of some image lead here; phase C.
bool crebind_dlsym_has_images(void);

/// Sets whether a question has come here that no batch has waited for, and returns the former
/// value. A batch takes that value before it is published, and puts it back unless it waits until
/// all threads have left.
bool crebind_dlsym_exchange_asked(bool has_asked);

#pragma GCC visibility pop
#endif
