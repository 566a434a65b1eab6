/// The code of some images, such as Swift's runtime and the testing libraries.

#ifndef CREBIND_TESTING_RUNTIME_IMAGES_H
#define CREBIND_TESTING_RUNTIME_IMAGES_H

#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

typedef struct crebind_testing_images {
  size_t count;
  struct {
    uintptr_t start, end;
  } ranges[48];
} crebind_testing_images;

/// Finds those that are loaded: the runtime, and with `finds_libraries` what is built
/// on it. Calls the loader.
void crebind_testing_find_runtime(crebind_testing_images *images, bool finds_libraries);

/// Finds the testing libraries that are loaded. Calls the loader.
void crebind_testing_find_testing(crebind_testing_images *images);

/// Finds the image of a path or file name, if it is loaded. Calls the loader.
void crebind_testing_find_image(crebind_testing_images *images, const char *name);

bool crebind_testing_images_contain(const crebind_testing_images *images, const void *address);

#pragma clang assume_nonnull end

#endif
