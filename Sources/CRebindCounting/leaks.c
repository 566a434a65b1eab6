/// A table of addresses, in memory of its own, which threads write without waiting for each other.
///
/// A place keeps its address for good, because allocators reuse addresses. A thread takes its block
/// out of the table before it frees the block. So no thread that gets the same address next can
/// enter it here first.

#define _GNU_SOURCE

#include "leaks.h"

#include <sys/mman.h>

/// 32 MB of addresses. Places that are not taken cost no memory.
#define LIMIT (1 << 21)
/// The number of places in which an address is searched.
#define PLACES 256

typedef struct place {
  /// 0 while it is free.
  _Atomic uintptr_t address;
  _Atomic bool is_given;
} place;

struct crebind_counting_leaks {
  _Atomic int64_t count;
  _Atomic bool is_full;
  place places[LIMIT];
};

crebind_counting_leaks *crebind_counting_leaks_make(void) {
  crebind_counting_leaks *leaks = mmap(NULL, sizeof *leaks, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return leaks != MAP_FAILED ? leaks : NULL;
}

void crebind_counting_leaks_free(crebind_counting_leaks *leaks) { munmap(leaks, sizeof *leaks); }

/// The place of an address, or a free one if none has it; NULL for neither.
static place *find(crebind_counting_leaks *leaks, uintptr_t address) {
  // Blocks are aligned to 8 or 16 bytes.
  size_t first = (size_t)(((uint64_t)address >> 3) * 0x9e3779b97f4a7c15 >> 43);
  for (size_t i = 0; i < PLACES; i++) {
    place *place = &leaks->places[(first + i) % LIMIT];
    uintptr_t found = atomic_load_explicit(&place->address, memory_order_relaxed);
    if (found == address || found == 0) return place;
  }
  return NULL;
}

bool crebind_counting_leaks_add(crebind_counting_leaks *leaks, const void *block) {
  if (leaks->is_full) return false;
  uintptr_t address = (uintptr_t)block;
  for (place *place; (place = find(leaks, address)) != NULL;) {
    uintptr_t found = 0;
    if (place->address != address
        && !atomic_compare_exchange_strong(&place->address, &found, address) && found != address)
      continue;
    // The block is this thread's alone, and so is its place.
    if (atomic_load_explicit(&place->is_given, memory_order_relaxed)) return false;
    atomic_store_explicit(&place->is_given, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&leaks->count, 1, memory_order_relaxed);
    return true;
  }
  leaks->is_full = true;
  return false;
}

bool crebind_counting_leaks_take(crebind_counting_leaks *leaks, const void *block) {
  place *place = find(leaks, (uintptr_t)block);
  if (place == NULL || place->address != (uintptr_t)block) return false;
  // If the block was not given to this scope, it is an older block, or one of another scope.
  if (!atomic_load_explicit(&place->is_given, memory_order_relaxed)) return false;
  atomic_store_explicit(&place->is_given, false, memory_order_relaxed);
  atomic_fetch_sub_explicit(&leaks->count, 1, memory_order_relaxed);
  return true;
}

void crebind_counting_leaks_give_up(crebind_counting_leaks *leaks) { leaks->is_full = true; }

int64_t crebind_counting_leaks_count(const crebind_counting_leaks *leaks) {
  return leaks->is_full ? -1 : leaks->count;
}
