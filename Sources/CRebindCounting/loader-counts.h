/// Whether the images that are loaded are those that were loaded at a time before.
///
/// The loader gives the place of an image that it has unloaded to another one.

#ifndef CREBIND_COUNTING_LOADER_COUNTS_H
#define CREBIND_COUNTING_LOADER_COUNTS_H

#include "thread-counts.h"

/// The images that the loader has loaded so far, and those that it has unloaded.
typedef struct crebind_counting_loader_counts {
  unsigned long long loaded, unloaded;
} crebind_counting_loader_counts;

/// The generation now.
CREBIND_COUNTING_HIDDEN crebind_counting_loader_counts crebind_counting_loader_counts_now(void);

/// Whether no other image can have been at an address since a generation. That is so if none was unloaded, if
/// none was loaded, or if the one that is there now is as old as the counters.
CREBIND_COUNTING_HIDDEN bool crebind_counting_has_stayed(crebind_counting_loader_counts since,
                                                         uintptr_t address);

#endif
