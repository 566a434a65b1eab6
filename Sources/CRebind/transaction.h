/// Applying for ourselves.

#ifndef CREBIND_TRANSACTION_H
#define CREBIND_TRANSACTION_H

#include "CRebind.h"

#pragma GCC visibility push(hidden)

/// `crebind_apply`.
///
/// \param is_own True for a batch of wrappers of ours.
crebind_status crebind_apply_batch(const crebind_rebinding *rebindings, size_t count,
                                   const crebind_options *options, bool is_own,
                                   crebind_handle **result, crebind_report *report,
                                   crebind_error *error);

#pragma GCC visibility pop

#endif
