/// The functions that are counted: names, groups, counters and originals.

#ifndef CREBIND_COUNTING_FUNCTIONS_H
#define CREBIND_COUNTING_FUNCTIONS_H

#include "tally.h"

#include <sys/types.h>

typedef struct crebind_counting_entry {
  const char *name;
  crebind_counting_group group;
  /// Slots are pointed at it.
  void *counter;
} crebind_counting_entry;

extern CREBIND_COUNTING_HIDDEN const crebind_counting_entry
    crebind_counting_entries[CREBIND_COUNTING_FUNCTION_COUNT];

/// The counters go on to these. The core writes one before any slot leads to its counter.
extern CREBIND_COUNTING_HIDDEN void *crebind_counting_originals[CREBIND_COUNTING_FUNCTION_COUNT];

/// malloc_usable_size of the allocator that is counted, or a function that gives 0 if it has none.
extern CREBIND_COUNTING_HIDDEN size_t (*crebind_counting_usable_size)(void *block);
CREBIND_COUNTING_HIDDEN size_t crebind_counting_no_size(void *block);

CREBIND_COUNTING_HIDDEN extern void *crebind_counting_malloc(size_t size);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_calloc(size_t count, size_t size);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_realloc(void *block, size_t size);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_reallocarray(void *block, size_t count,
                                                                   size_t size);
CREBIND_COUNTING_HIDDEN extern int crebind_counting_posix_memalign(void **block, size_t alignment,
                                                                   size_t size);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_aligned_alloc(size_t alignment, size_t size);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_memalign(size_t alignment, size_t size);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_valloc(size_t size);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_pvalloc(size_t size);
CREBIND_COUNTING_HIDDEN extern void crebind_counting_free_block(void *block);

/// The offset of mmap itself, which has 32 bits on 32-bit machines with glibc.
#if defined(__GLIBC__)
typedef long crebind_counting_offset;
#else
typedef off_t crebind_counting_offset;
#endif

CREBIND_COUNTING_HIDDEN extern void *crebind_counting_mmap(void *address, size_t length,
                                                           int protection, int flags, int file,
                                                           crebind_counting_offset offset);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_mmap64(void *address, size_t length,
                                                             int protection, int flags, int file,
                                                             int64_t offset);
CREBIND_COUNTING_HIDDEN extern int crebind_counting_munmap(void *address, size_t length);
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_mremap(void *old, size_t old_length,
                                                             size_t length, int flags,
                                                             void *address);

#endif
