/// The life of a batch, below the public calls: those bring the wrappers around dlopen and
/// dlclose in line afterwards, which are a batch themselves. See transactions/notice.h.

#ifndef CREBIND_TRANSACTIONS_TRANSACTION_H
#define CREBIND_TRANSACTIONS_TRANSACTION_H

#include "CRebind.h"

#pragma GCC visibility push(hidden)

/// \param is_own True for a batch of wrappers of ours.
crebind_status crebind_apply_batch(const crebind_rebinding *rebindings, size_t count,
                                   const crebind_options *options, bool is_own,
                                   crebind_handle **result, crebind_report *report,
                                   crebind_error *error);

crebind_status crebind_verify_batch(crebind_handle *handle, crebind_report *report,
                                    crebind_error *error);

crebind_status crebind_restore_batch(crebind_handle *handle, crebind_report *report,
                                     crebind_error *error);

#pragma GCC visibility pop

#endif
