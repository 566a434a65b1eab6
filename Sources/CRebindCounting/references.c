/// The counters of Swift's runtime that are C. On AArch64 those of references are assembly: see
/// `references-aarch64.S`.

#include "references.h"
#include "functions.h"

#define CHECK_NUMBER(number, name, function) \
  _Static_assert(CREBIND_COUNTING_##function == number, "assembly counts on it");
CREBIND_COUNTING_REFERENCES_LIST(CHECK_NUMBER)

#if defined(__aarch64__)
/// Called by the assembly.
CREBIND_COUNTING_HIDDEN void crebind_counting_note_reference(uint32_t function,
                                                             const void *caller) {
  crebind_counting_note_call((crebind_counting_function)function, caller);
}
#else
/// The second argument is there for functions that take a number: others pass on what they find.
#define COUNTER(number, name, function)                                                    \
  CREBIND_COUNTING_COUNTER void *crebind_counting_##name(void *object, uintptr_t count) {   \
    crebind_counting_note_call(CREBIND_COUNTING_##function, __builtin_return_address(0));   \
    return ((void *(*)(void *, uintptr_t))crebind_counting_originals[number])(object, count); \
  }
CREBIND_COUNTING_REFERENCES_LIST(COUNTER)
#endif

CREBIND_COUNTING_COUNTER void *crebind_counting_alloc_object(void *metadata, size_t size,
                                                            size_t alignment_mask) {
  crebind_counting_note_call(CREBIND_COUNTING_ALLOC_OBJECT, __builtin_return_address(0));
  return ((void *(*)(void *, size_t, size_t))
              crebind_counting_originals[CREBIND_COUNTING_ALLOC_OBJECT])(metadata, size,
                                                                         alignment_mask);
}

CREBIND_COUNTING_COUNTER void crebind_counting_begin_access(void *pointer, void *buffer,
                                                           uintptr_t flags, void *caller) {
  crebind_counting_note_call(CREBIND_COUNTING_BEGIN_ACCESS, __builtin_return_address(0));
  ((void (*)(void *, void *, uintptr_t, void *))
       crebind_counting_originals[CREBIND_COUNTING_BEGIN_ACCESS])(pointer, buffer, flags, caller);
}
