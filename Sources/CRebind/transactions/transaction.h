/// The life of a batch, below the public calls. The public calls also install and restore the
/// wrappers around dlopen and dlclose, which are a batch themselves. See transactions/notice.h.

#if defined(__linux__)
#pragma once

#include "CRebind.h"

#pragma GCC visibility push(hidden)

struct crebind_attempt;
struct crebind_exact_definition;

/// Called once a batch is active, in the same look at the images; phase C. Also applies the
/// wrappers that the batch needs, or leaves them to a separate call.
///
/// \param may_race Made true where another thread's resolver may store into a slot.
typedef void crebind_apply_companion(struct crebind_attempt *attempt, bool *may_race);

/// \param exact See `crebind_batch_make`.
/// \param companion NULL for a batch of our own wrappers.
crebind_status crebind_apply_batch(const crebind_rebinding *rebindings,
                                   const struct crebind_exact_definition *exact, size_t count,
                                   const crebind_options *options,
                                   crebind_apply_companion *companion, crebind_handle **result,
                                   crebind_report *report, crebind_error *error);

/// Applies a batch of our own wrappers as a companion. Returns NULL if that could not be done, or
/// if it would have put a question to the loader.
struct crebind_handle *crebind_apply_own(struct crebind_attempt *attempt,
                                         const crebind_rebinding *rebindings, size_t count,
                                         const crebind_options *options, bool *may_race);

crebind_status crebind_verify_batch(crebind_handle *handle, crebind_report *report,
                                    crebind_error *error);

crebind_status crebind_restore_batch(crebind_handle *handle, crebind_report *report,
                                     crebind_error *error);

#pragma GCC visibility pop
#endif
