/// How a call tells that it has failed.

#if defined(__linux__)
#pragma once

#include "CRebind.h"

#pragma GCC visibility push(hidden)

/// Fills in `error`, unless it is NULL, and returns `status`.
///
/// \param rebinding The index of the rebinding that is to blame, or -1.
crebind_status crebind_fail(crebind_error *error, crebind_status status, int64_t rebinding);

/// The cure for a reason; "" if none can be named in general.
const char *crebind_reason_cure(crebind_reason reason, const char *detail);

#pragma GCC visibility pop
#endif
