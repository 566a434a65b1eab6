/// The ends of calls.

#if defined(__linux__) && !defined(CREBIND_TESTING_ENDS_H)
#define CREBIND_TESTING_ENDS_H

#include "scope.h"

#pragma clang assume_nonnull begin

/// Adds a scope to those that observe a call's end. False if the call has enough of them, or if its
/// end cannot be awaited.
///
/// \param number The scope's own number of the call.
bool crebind_testing_observe(const crebind_testing_call *call, crebind_testing_scope *scope,
                             uint64_t number);

/// Whether a scope of a kind observes the call's end already.
bool crebind_testing_is_observed(const crebind_testing_call *call, crebind_testing_decide *decide);

#pragma clang assume_nonnull end

#endif
