/// The choice of what a call reaches.

#if defined(__linux__) && !defined(CREBIND_TESTING_SELECT_H)
#define CREBIND_TESTING_SELECT_H

#include "CRebindStubs.h"

#pragma clang assume_nonnull begin

/// Asked by the stubs. A call that resumes is the innermost frame's original.
crebind_stubs_handler crebind_testing_select __attribute__((visibility("hidden")));

#pragma clang assume_nonnull end

#endif
