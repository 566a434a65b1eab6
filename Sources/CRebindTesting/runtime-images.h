/// The code of some images, such as Swift's runtime and the testing libraries.

#ifndef CREBIND_TESTING_RUNTIME_IMAGES_H
#define CREBIND_TESTING_RUNTIME_IMAGES_H

#include "CRebindReach.h"
#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

/// Finds the code of the runtime, and with `finds_libraries` of the libraries that are built on it.
/// Calls the loader.
void crebind_testing_find_runtime(crebind_reach_code *code, bool finds_libraries);

/// Finds the testing libraries that are loaded. Calls the loader.
void crebind_testing_find_testing(crebind_reach_code *code);

/// Finds libdispatch, the libraries whose futexes are locks, and those whose conditions are. Calls the loader.
void crebind_testing_find_dispatch(crebind_reach_code *code);
void crebind_testing_find_locking(crebind_reach_code *code);
void crebind_testing_find_icu(crebind_reach_code *code);

/// Finds the libraries that have event loops, which they keep, and those that keep what they open. Calls the loader.
void crebind_testing_find_loops(crebind_reach_code *code);
void crebind_testing_find_keepers(crebind_reach_code *code);

/// Finds the image of a path or file name, if it is loaded. Calls the loader.
void crebind_testing_find_image(crebind_reach_code *code, const char *name);

#pragma clang assume_nonnull end

#endif
