/// The counters of mmap and its kind.
///
/// An allocator may call these inside of malloc: they are counted there, too.

#if defined(__linux__)
#include "original-call.h"

#include <sys/mman.h>
#include <sys/types.h>

/// The offset of mmap itself, which has 32 bits on 32-bit machines with glibc.
#if defined(__GLIBC__)
typedef long mmap_offset;
#else
typedef off_t mmap_offset;
#endif

static inline original_call enter(crebind_counting_function function, const void *counter,
                            const void *caller) {
  return begin_original_call(function, counter, caller, crebind_counting_is_on(function));
}

static inline void note(crebind_counting_event event) {
  crebind_counting_block *block = crebind_counting_own_block();
  crebind_counting_add(&block->sums, &event);
  crebind_counting_notify_if_listening(block, &event);
}

static inline void note_mapping(crebind_counting_function function, const original_call *call,
                                const void *mapping, size_t length) {
  bool failed = mapping == MAP_FAILED;
  note((crebind_counting_event){.function = function,
                                .marks = CREBIND_COUNTING_MAPPED
                                         | (failed ? CREBIND_COUNTING_WITHOUT_MAPPING : 0),
                                .bytes = failed ? 0 : length,
                                .caller = call->caller});
}

CREBIND_COUNTING_COUNTER void *crebind_counter_mmap(void *address, size_t length, int protection,
                                                     int flags, int file,
                                                     mmap_offset offset) {
  original_call call = enter(CREBIND_COUNTING_MMAP, (const void *)crebind_counter_mmap, CALLER);
  void *mapping = ORIGINAL(call, void *, void *, size_t, int, int, int, mmap_offset)(
      address, length, protection, flags, file, offset);
  if (end_original_call(&call)) note_mapping(CREBIND_COUNTING_MMAP, &call, mapping, length);
  return mapping;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_mmap64(void *address, size_t length, int protection,
                                                       int flags, int file, int64_t offset) {
  original_call call = enter(CREBIND_COUNTING_MMAP64, (const void *)crebind_counter_mmap64, CALLER);
  void *mapping = ORIGINAL(call, void *, void *, size_t, int, int, int, int64_t)(
      address, length, protection, flags, file, offset);
  if (end_original_call(&call)) note_mapping(CREBIND_COUNTING_MMAP64, &call, mapping, length);
  return mapping;
}

CREBIND_COUNTING_COUNTER int crebind_counter_munmap(void *address, size_t length) {
  original_call call = enter(CREBIND_COUNTING_MUNMAP, (const void *)crebind_counter_munmap, CALLER);
  int result = ORIGINAL(call, int, void *, size_t)(address, length);
  if (end_original_call(&call))
    note((crebind_counting_event){.function = CREBIND_COUNTING_MUNMAP, .caller = call.caller});
  return result;
}

/// The C library's mremap is variadic. On these machines, the last argument is still in a register.
CREBIND_COUNTING_COUNTER void *crebind_counter_mremap(void *old, size_t old_length, size_t length,
                                                       int flags, void *address) {
  original_call call = enter(CREBIND_COUNTING_MREMAP, (const void *)crebind_counter_mremap, CALLER);
  void *mapping = ORIGINAL(call, void *, void *, size_t, size_t, int, void *)(
      old, old_length, length, flags, address);
  if (end_original_call(&call))
    note((crebind_counting_event){.function = CREBIND_COUNTING_MREMAP,
                                  .marks = CREBIND_COUNTING_MAPPED,
                                  .bytes = mapping != MAP_FAILED ? length : 0,
                                  .caller = call.caller});
  return mapping;
}
#endif
