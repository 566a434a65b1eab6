/// The memory that a scope's blocks take.
///
/// Most scopes have their blocks from one thread, and need no atomic additions. So the first thread, the
/// *owner*, has numbers that it alone writes, until a second thread comes. From then on the owner's
/// numbers stay as they are, and all threads, the owner too, add to numbers that they share.
///
/// The owner may learn of the second thread late. But if another thread's change happens before a call
/// of the owner's, that call finds it. So the owner's last changes may be put before all changes that
/// they did not see. Each sum of both numbers is then one that a single count would have had. Two calls
/// at the same time may miss each other's blocks. The first call that frees one of these blocks sees
/// both, so a sum is compared with the peak before a block goes, too.

#ifndef CREBIND_COUNTING_USAGE_H
#define CREBIND_COUNTING_USAGE_H

#include "thread-counts.h"

/// Blocks, and the bytes in them, now and at most.
typedef struct crebind_counting_numbers {
  _Atomic int64_t blocks, live, peak;
} crebind_counting_numbers;

typedef struct crebind_counting_usage {
  /// The number of the owner's block; 0 for none yet, and all ones once a second thread has come.
  _Atomic uint32_t owner;
  crebind_counting_numbers of_owner, of_all;
} crebind_counting_usage;

#define CREBIND_COUNTING_NO_OWNER UINT32_MAX

/// A change by the owner.
static inline void crebind_counting_change_own(crebind_counting_numbers *numbers, int64_t blocks,
                                               int64_t bytes) {
  int64_t live = atomic_load_explicit(&numbers->live, memory_order_relaxed) + bytes;
  CREBIND_COUNTING_ADD(&numbers->blocks, blocks);
  atomic_store_explicit(&numbers->live, live, memory_order_relaxed);
  if (live > atomic_load_explicit(&numbers->peak, memory_order_relaxed))
    atomic_store_explicit(&numbers->peak, live, memory_order_relaxed);
}

/// A change by a thread that is not alone.
__attribute__((noinline)) static void crebind_counting_change_shared(
    crebind_counting_usage *usage, int64_t blocks, int64_t bytes) {
  if (atomic_load_explicit(&usage->owner, memory_order_relaxed) != CREBIND_COUNTING_NO_OWNER)
    atomic_store_explicit(&usage->owner, CREBIND_COUNTING_NO_OWNER, memory_order_relaxed);
  atomic_fetch_add_explicit(&usage->of_all.blocks, blocks, memory_order_relaxed);
  // The owner's number is loaded after this one. So if the sum has a change by a thread that knew of
  // the owner's, it has the owner's, too.
  int64_t live = atomic_fetch_add_explicit(&usage->of_all.live, bytes, memory_order_acq_rel);
  live += atomic_load_explicit(&usage->of_owner.live, memory_order_relaxed);
  crebind_counting_raise(&usage->of_all.peak, bytes > 0 ? live + bytes : live);
}

/// \param number The number of the thread's block.
static inline void crebind_counting_change_usage(crebind_counting_usage *usage, uint32_t number,
                                                 int64_t blocks, int64_t bytes) {
  uint32_t owner = atomic_load_explicit(&usage->owner, memory_order_relaxed);
  if (__builtin_expect(owner == 0, 0)
      && atomic_compare_exchange_strong_explicit(&usage->owner, &owner, number,
                                                 memory_order_relaxed, memory_order_relaxed))
    owner = number;
  // Threads without a block of their own have the number 0.
  if (__builtin_expect(owner == number && number != 0, 1))
    crebind_counting_change_own(&usage->of_owner, blocks, bytes);
  else crebind_counting_change_shared(usage, blocks, bytes);
}

static inline int64_t crebind_counting_live(const crebind_counting_usage *usage) {
  return usage->of_owner.live + usage->of_all.live;
}

static inline int64_t crebind_counting_blocks_in_use(const crebind_counting_usage *usage) {
  return usage->of_owner.blocks + usage->of_all.blocks;
}

static inline int64_t crebind_counting_usage_peak(const crebind_counting_usage *usage) {
  int64_t own = usage->of_owner.peak, all = usage->of_all.peak;
  return own > all ? own : all;
}

#endif
