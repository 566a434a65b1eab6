#include "functions.h"
#include "references.h"

_Static_assert(CREBIND_COUNTING_FUNCTION_COUNT <= 32, "FunctionCalls.swift has room for 32");

void *crebind_counting_originals[CREBIND_COUNTING_FUNCTION_COUNT];
size_t (*crebind_counting_usable_size)(void *block) = crebind_counting_no_size;

size_t crebind_counting_no_size(void *block) {
  (void)block;
  return 0;
}

#define DECLARE(number, name, function) \
  CREBIND_COUNTING_HIDDEN extern void *crebind_counting_##name(void *object, uintptr_t count);
CREBIND_COUNTING_REFERENCES_LIST(DECLARE)
CREBIND_COUNTING_HIDDEN extern void *crebind_counting_alloc_object(void *metadata, size_t size,
                                                                   size_t alignment_mask);
CREBIND_COUNTING_HIDDEN extern void crebind_counting_begin_access(void *pointer, void *buffer,
                                                                  uintptr_t flags, void *caller);

#define MEMORY(function, name) \
  [CREBIND_COUNTING_##function] = {#name, CREBIND_COUNTING_MEMORY, (void *)crebind_counting_##name}
#define MAPPING(function, name) \
  [CREBIND_COUNTING_##function] = {#name, CREBIND_COUNTING_MAPPINGS, (void *)crebind_counting_##name}
#define REFERENCE(number, name, function)                                        \
  [CREBIND_COUNTING_##function] = {"swift_" #name, CREBIND_COUNTING_REFERENCES, \
                                   (void *)crebind_counting_##name},

const crebind_counting_entry crebind_counting_entries[CREBIND_COUNTING_FUNCTION_COUNT] = {
    MEMORY(MALLOC, malloc),
    MEMORY(CALLOC, calloc),
    MEMORY(REALLOC, realloc),
    MEMORY(REALLOCARRAY, reallocarray),
    MEMORY(POSIX_MEMALIGN, posix_memalign),
    MEMORY(ALIGNED_ALLOC, aligned_alloc),
    MEMORY(MEMALIGN, memalign),
    MEMORY(VALLOC, valloc),
    MEMORY(PVALLOC, pvalloc),
    [CREBIND_COUNTING_FREE] = {"free", CREBIND_COUNTING_MEMORY, (void *)crebind_counting_free_block},
    CREBIND_COUNTING_REFERENCES_LIST(REFERENCE)
    [CREBIND_COUNTING_ALLOC_OBJECT] = {"swift_allocObject", CREBIND_COUNTING_OBJECTS,
                                       (void *)crebind_counting_alloc_object},
    [CREBIND_COUNTING_BEGIN_ACCESS] = {"swift_beginAccess", CREBIND_COUNTING_ACCESSES,
                                       (void *)crebind_counting_begin_access},
    MAPPING(MMAP, mmap),
    MAPPING(MMAP64, mmap64),
    MAPPING(MUNMAP, munmap),
    MAPPING(MREMAP, mremap),
};

const char *crebind_counting_name(crebind_counting_function function) {
  return crebind_counting_entries[function].name;
}

crebind_counting_group crebind_counting_group_of(crebind_counting_function function) {
  return crebind_counting_entries[function].group;
}
