/// Which calls a fault looks at.

#if defined(__linux__) && !defined(CREBIND_TESTING_CONDITION_H)
#define CREBIND_TESTING_CONDITION_H

#include "runtime-images.h"
#include "scope.h"

#pragma clang assume_nonnull begin

/// Where the code of the image is that a condition names; nowhere for other conditions.
typedef crebind_reach_code crebind_testing_place;

/// Looks for the image. Calls the loader.
void crebind_testing_find_place(const crebind_testing_condition *condition,
                                crebind_testing_place *place);

/// Whether a call fulfils all conditions. Calls nothing but the kernel.
bool crebind_testing_fulfils(const crebind_testing_condition *_Nullable conditions,
                             const crebind_testing_place *_Nullable places, size_t count,
                             const crebind_testing_call *call);

#pragma clang assume_nonnull end

#endif
