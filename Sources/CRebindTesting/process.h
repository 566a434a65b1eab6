/// A sweep's child, as its scopes see it.

#if defined(__linux__) && !defined(CREBIND_TESTING_PROCESS_H)
#define CREBIND_TESTING_PROCESS_H

#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

/// Whether this process is a sweep's child.
bool crebind_testing_is_child(void);

/// The body has closed a descriptor again.
void crebind_testing_note_closed_twice(int descriptor);

#pragma clang assume_nonnull end

#endif
