/// The blocks that a scope's calls were given and that nobody has freed.
///
/// A table of addresses, in memory of its own, which threads write without waiting for each other.
///
/// A place keeps its address for good, because allocators reuse addresses. A thread takes its block
/// out of the table before it frees the block. So no thread that gets the same address next can
/// enter it here first.

#if defined(__linux__) && !defined(CREBIND_COUNTING_LEAKS_H)
#define CREBIND_COUNTING_LEAKS_H

#include "thread-counts.h"

/// 32 MB of addresses. Places that are not taken cost no memory.
#define CREBIND_COUNTING_LEAKS (1 << 21)
/// The number of places in which an address is searched.
#define CREBIND_COUNTING_LEAK_PLACES 256

typedef struct crebind_counting_leak {
  /// 0 while it is free.
  _Atomic uintptr_t address;
  /// The size with which the block was given, and 1; 0 once the block is freed.
  _Atomic uint64_t given;
} crebind_counting_leak;

typedef struct crebind_counting_leaks {
  _Atomic bool is_full;
  crebind_counting_leak places[CREBIND_COUNTING_LEAKS];
} crebind_counting_leaks;

/// NULL if memory runs out.
CREBIND_COUNTING_HIDDEN crebind_counting_leaks *crebind_counting_leaks_make(void);
CREBIND_COUNTING_HIDDEN void crebind_counting_leaks_free(crebind_counting_leaks *leaks);

/// Notes that a block cannot be kept, so that the table is full.
CREBIND_COUNTING_HIDDEN void crebind_counting_leaks_give_up(crebind_counting_leaks *leaks);

/// Whether there were too many blocks to keep them.
CREBIND_COUNTING_HIDDEN bool crebind_counting_leaks_is_full(const crebind_counting_leaks *leaks);

/// The place of an address, or a free one if none has it; NULL for neither.
static inline crebind_counting_leak *crebind_counting_find_leak(
    crebind_counting_leaks *leaks, uintptr_t address) {
  // Blocks are aligned to 8 or 16 bytes.
  size_t first = (size_t)(((uint64_t)address >> 3) * 0x9e3779b97f4a7c15 >> 43);
  for (size_t i = 0; i < CREBIND_COUNTING_LEAK_PLACES; i++) {
    crebind_counting_leak *place = &leaks->places[(first + i) % CREBIND_COUNTING_LEAKS];
    uintptr_t found = atomic_load_explicit(&place->address, memory_order_relaxed);
    if (found == address || found == 0) return place;
  }
  return NULL;
}

/// A call of the scope was given a block. Takes no lock.
///
/// \returns false if the block is there already, as it was freed where nobody saw it, or cannot be kept.
static inline bool crebind_counting_leaks_add(crebind_counting_leaks *leaks, const void *block,
                                              int64_t size) {
  if (leaks->is_full) return false;
  uintptr_t address = (uintptr_t)block;
  for (crebind_counting_leak *place;
       (place = crebind_counting_find_leak(leaks, address)) != NULL;) {
    uintptr_t found = 0;
    if (place->address != address
        && !atomic_compare_exchange_strong(&place->address, &found, address) && found != address)
      continue;
    // The block is this thread's alone, and so is its place.
    if (atomic_load_explicit(&place->given, memory_order_relaxed) != 0) return false;
    atomic_store_explicit(&place->given, (uint64_t)size + 1, memory_order_relaxed);
    return true;
  }
  leaks->is_full = true;
  return false;
}

/// Notes that some thread is about to free a block, or to exchange it for another one. Takes no
/// lock.
///
/// \returns The size with which a call of the scope was given the block; -1 if none was: it is an older block, or one of
/// another scope.
static inline int64_t crebind_counting_leaks_take(crebind_counting_leaks *leaks,
                                                  const void *block) {
  crebind_counting_leak *place = crebind_counting_find_leak(leaks, (uintptr_t)block);
  // Another thread may enter a block of its own into a place that was free.
  if (place == NULL || place->address != (uintptr_t)block) return -1;
  uint64_t given = atomic_load_explicit(&place->given, memory_order_relaxed);
  if (given != 0) atomic_store_explicit(&place->given, 0, memory_order_relaxed);
  return (int64_t)given - 1;
}

#endif
