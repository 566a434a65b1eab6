/// The counters of Swift's runtime that are C. On AArch64 those of references are assembly: see
/// `references-aarch64.S`.

#if defined(__linux__)
#include "functions.h"

#if defined(__aarch64__)
/// Called by the assembly.
CREBIND_COUNTING_HIDDEN void crebind_counting_note_reference(uint32_t function,
                                                             const void *caller) {
  crebind_counting_note_call((crebind_counting_function)function, caller);
}
#else
/// The second argument is there for functions that take a number: others pass on what they find.
#define COUNTER_REFERENCES(constant, symbol)                                              \
  CREBIND_COUNTING_COUNTER void *crebind_counter_##symbol(void *object, uintptr_t count) { \
    crebind_counting_note_call(constant, __builtin_return_address(0));                    \
    return ((void *(*)(void *, uintptr_t))crebind_counting_originals[constant])(object, count); \
  }
// The other groups have counters of their own.
#define COUNTER_MEMORY(constant, symbol)
#define COUNTER_OBJECTS(constant, symbol)
#define COUNTER_ACCESSES(constant, symbol)
#define COUNTER_MAPPINGS(constant, symbol)
#define COUNTER(constant, group, total, symbol) COUNTER_##group(CREBIND_COUNTING_##constant, symbol)
CREBIND_COUNTED_FUNCTIONS(COUNTER)
#endif

CREBIND_COUNTING_COUNTER void *crebind_counter_swift_allocObject(void *metadata, size_t size,
                                                            size_t alignment_mask) {
  crebind_counting_note_call(CREBIND_COUNTING_ALLOC_OBJECT, __builtin_return_address(0));
  return ((void *(*)(void *, size_t, size_t))
              crebind_counting_originals[CREBIND_COUNTING_ALLOC_OBJECT])(metadata, size,
                                                                         alignment_mask);
}

CREBIND_COUNTING_COUNTER void crebind_counter_swift_beginAccess(void *pointer, void *buffer,
                                                           uintptr_t flags, void *caller) {
  crebind_counting_note_call(CREBIND_COUNTING_BEGIN_ACCESS, __builtin_return_address(0));
  ((void (*)(void *, void *, uintptr_t, void *))
       crebind_counting_originals[CREBIND_COUNTING_BEGIN_ACCESS])(pointer, buffer, flags, caller);
}
#endif
