/// The code of some images, such as Swift's runtime and the testing libraries.

#if defined(__linux__) && !defined(CREBIND_TESTING_RUNTIME_IMAGES_H)
#define CREBIND_TESTING_RUNTIME_IMAGES_H

#include "CRebindReach.h"
#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

/// Kinds of libraries, by the names of their files.
typedef enum crebind_testing_libraries {
  CREBIND_TESTING_RUNTIME,
  /// The runtime and the libraries that are built on it: Swift's, Foundation and the testing libraries.
  CREBIND_TESTING_BUILT_ON_RUNTIME,
  CREBIND_TESTING_DISPATCH,
  /// Libraries whose futexes are locks.
  CREBIND_TESTING_LOCKING,
  /// A library whose conditions are locks.
  CREBIND_TESTING_ICU,
  /// Libraries that have event loops, and keep what these open.
  CREBIND_TESTING_EVENT_LOOPS,
  /// Libraries that keep what they open.
  CREBIND_TESTING_KEEPERS,
  CREBIND_TESTING_TESTING,
} crebind_testing_libraries;

/// Finds the code of those libraries that are loaded. Calls the loader.
void crebind_testing_find_libraries(crebind_reach_code *code, crebind_testing_libraries libraries);

/// Finds the image of a path or file name, if it is loaded. Calls the loader.
void crebind_testing_find_image(crebind_reach_code *code, const char *name);

#pragma clang assume_nonnull end

#endif
