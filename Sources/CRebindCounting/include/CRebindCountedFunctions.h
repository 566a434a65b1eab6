/// The functions that are counted: a constant, the group that is counted together, the total that the
/// calls go into, and the symbol. Assembly reads this, too.
///
/// The functions of one total stand together. If the first is not counted, the total is missing. A
/// further function needs a line here, and its counter: a function `crebind_counter_SYMBOL` in
/// memory.c, mappings.c or references.c.

#if defined(__linux__) && !defined(CREBIND_COUNTED_FUNCTIONS_H)
#define CREBIND_COUNTED_FUNCTIONS_H

// In code that is compiled with `_FILE_OFFSET_BITS=64`, mmap is mmap64. glibc alone has pvalloc.
#define CREBIND_COUNTED_FUNCTIONS(FUNCTION)                                                 \
  FUNCTION(MALLOC, MEMORY, ALLOCATIONS, malloc)                                             \
  FUNCTION(CALLOC, MEMORY, ALLOCATIONS, calloc)                                             \
  FUNCTION(REALLOC, MEMORY, ALLOCATIONS, realloc)                                           \
  FUNCTION(REALLOCARRAY, MEMORY, ALLOCATIONS, reallocarray)                                 \
  FUNCTION(POSIX_MEMALIGN, MEMORY, ALLOCATIONS, posix_memalign)                             \
  FUNCTION(ALIGNED_ALLOC, MEMORY, ALLOCATIONS, aligned_alloc)                               \
  FUNCTION(MEMALIGN, MEMORY, ALLOCATIONS, memalign)                                         \
  FUNCTION(VALLOC, MEMORY, ALLOCATIONS, valloc)                                             \
  FUNCTION(PVALLOC, MEMORY, ALLOCATIONS, pvalloc)                                           \
  FUNCTION(FREE, MEMORY, FREES, free)                                                       \
  FUNCTION(RETAIN, REFERENCES, RETAINS, swift_retain)                                       \
  FUNCTION(RETAIN_N, REFERENCES, RETAINS, swift_retain_n)                                   \
  FUNCTION(BRIDGE_OBJECT_RETAIN, REFERENCES, RETAINS, swift_bridgeObjectRetain)             \
  FUNCTION(BRIDGE_OBJECT_RETAIN_N, REFERENCES, RETAINS, swift_bridgeObjectRetain_n)         \
  FUNCTION(UNKNOWN_OBJECT_RETAIN, REFERENCES, RETAINS, swift_unknownObjectRetain)           \
  FUNCTION(UNKNOWN_OBJECT_RETAIN_N, REFERENCES, RETAINS, swift_unknownObjectRetain_n)       \
  FUNCTION(RELEASE, REFERENCES, RELEASES, swift_release)                                    \
  FUNCTION(RELEASE_N, REFERENCES, RELEASES, swift_release_n)                                \
  FUNCTION(BRIDGE_OBJECT_RELEASE, REFERENCES, RELEASES, swift_bridgeObjectRelease)          \
  FUNCTION(BRIDGE_OBJECT_RELEASE_N, REFERENCES, RELEASES, swift_bridgeObjectRelease_n)      \
  FUNCTION(UNKNOWN_OBJECT_RELEASE, REFERENCES, RELEASES, swift_unknownObjectRelease)        \
  FUNCTION(UNKNOWN_OBJECT_RELEASE_N, REFERENCES, RELEASES, swift_unknownObjectRelease_n)    \
  FUNCTION(ALLOC_OBJECT, OBJECTS, OBJECTS, swift_allocObject)                               \
  FUNCTION(BEGIN_ACCESS, ACCESSES, ACCESSES, swift_beginAccess)                             \
  FUNCTION(MMAP, MAPPINGS, MAPPINGS, mmap)                                                  \
  FUNCTION(MMAP64, MAPPINGS, MAPPINGS, mmap64)                                              \
  FUNCTION(MREMAP, MAPPINGS, REMAPPINGS, mremap)                                            \
  FUNCTION(MUNMAP, MAPPINGS, UNMAPPINGS, munmap)

#endif
