/// Functions that a sanitizer has put in the place of the C library's.

#if defined(__linux__)
#pragma once

#include "binding/names.h"

#pragma GCC visibility push(hidden)

/// True if the image defines the function as sanitizers do: a second time, as `__interceptor_`
/// and the name. A program that is linked with a sanitizer by clang is such an image, and its own
/// calls are bound inside.
///
/// - Complexity: O(1) for most names that the image does not define.
bool crebind_is_interceptor(const struct crebind_dynamic *dynamic,
                            const struct crebind_name *name);

#pragma GCC visibility pop
#endif
