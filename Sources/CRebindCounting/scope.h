/// A scope, and the calls that it is notified of.

#if defined(__linux__) && !defined(CREBIND_COUNTING_SCOPE_H)
#define CREBIND_COUNTING_SCOPE_H

#include "images.h"
#include "leaks.h"
#include "thread-counts.h"
#include "usage.h"

#define CREBIND_COUNTING_LANES 32

/// The numbers of one thread in a task's scope.
typedef struct crebind_counting_lane {
  /// The number of the thread's block; 0 for none yet.
  _Atomic uint32_t owner;
  /// How many blocks the thread has been given, less those that it has freed: below 0 if others were given them.
  _Atomic int64_t blocks;
  crebind_counting_sums sums;
} crebind_counting_lane;

struct crebind_counting_scope {
  crebind_counting_reach reach;
  _Atomic bool is_active;
  /// The scope watches images, sites or leaks.
  bool watches;
  /// A task's only scope, which watches nothing but the blocks that it keeps.
  bool is_simple;
  /// For a scope of the process, its place among the peaks, or -1.
  int peak_place;
  /// For a scope of a thread, the peak that the next older scope has reached so far.
  int64_t outer_peak;
  /// While a thread or process that is not notified of calls is counted, the numbers at the beginning.
  /// After the end, the result.
  crebind_counting_counts counts;
  /// Whether the peak is known.
  bool has_peak;
  /// For a scope of a task, the next older scope.
  crebind_counting_scope *outer;
  /// For a scope that is notified of its calls.
  crebind_counting_usage usage;
  /// The number of its blocks that no lane has counted.
  _Atomic int64_t blocks;
  /// For a scope that watches images, sites or leaks; otherwise NULL.
  crebind_counting_images *images;
  crebind_reach_sites *sites;
  crebind_counting_leaks *leaks;
  /// The leaks are asked for. A scope of a task keeps its blocks in any case, as they may be freed on threads
  /// without the task, and what is live would be wrong.
  bool finds_leaks;
  /// Its calls were given blocks for the runtime of tasks or of queues, which are not kept.
  _Atomic bool has_tasks;
  /// For a scope that keeps blocks: the next older scope that does.
  _Atomic(crebind_counting_scope *) outer_leaking;
  /// A bit for each group whose calls have sites. Other scopes may have counters of more in place.
  uint32_t site_groups;
  /// The next older notified scope, if a thread or the process is notified of calls.
  _Atomic(crebind_counting_scope *) outer_notified;
  /// No call still reads the lists that the scope was on.
  bool is_alone;
  /// The calls of threads that have found no lane. Additions are atomic here.
  crebind_counting_sums shared;
  crebind_counting_lane lanes[CREBIND_COUNTING_LANES];
};

/// Whether a scope is notified of its calls. Otherwise its counts are a difference of the threads'
/// numbers.
static inline bool crebind_counting_is_notified(const crebind_counting_scope *scope) {
  return scope->reach == CREBIND_COUNTING_TASK || scope->watches;
}

/// The lane of a thread whose block has this number; NULL if another thread has the lane.
static inline crebind_counting_lane *crebind_counting_lane_of(crebind_counting_scope *scope,
                                                              uint32_t number) {
  crebind_counting_lane *lane = &scope->lanes[number % CREBIND_COUNTING_LANES];
  uint32_t owner = atomic_load_explicit(&lane->owner, memory_order_relaxed);
  if (owner == 0 && atomic_compare_exchange_strong(&lane->owner, &owner, number)) owner = number;
  return owner == number && number != 0 ? lane : NULL;
}

/// Adds to the number of blocks that a scope keeps.
///
/// \param lane The thread's; NULL if it has none.
static inline void crebind_counting_add_blocks(crebind_counting_scope *scope,
                                               crebind_counting_lane *lane, int64_t count) {
  if (lane != NULL) CREBIND_COUNTING_ADD(&lane->blocks, count);
  else atomic_fetch_add_explicit(&scope->blocks, count, memory_order_relaxed);
}

/// Keeps a block that a scope's calls were given, until any thread frees it.
static inline void crebind_counting_keep(crebind_counting_scope *scope,
                                         crebind_counting_lane *lane, const void *block,
                                         int64_t size) {
  if (!crebind_counting_leaks_add(scope->leaks, block, size)) return;
  crebind_counting_add_blocks(scope, lane, 1);
  crebind_counting_change_usage(&scope->usage, size);
}

/// Takes a block from a scope.
///
/// \returns Its size; -1 if the scope does not keep it.
static inline int64_t crebind_counting_take_from(crebind_counting_scope *scope,
                                                 crebind_counting_lane *lane, const void *block) {
  int64_t size = crebind_counting_leaks_take(scope->leaks, block);
  if (size < 0) return size;
  crebind_counting_add_blocks(scope, lane, -1);
  crebind_counting_change_usage(&scope->usage, -size);
  return size;
}

/// The blocks that a scope keeps; -1 if it keeps none, or there were too many. While threads only free them, this is no
/// less than what is left at the end of the call.
static inline int64_t crebind_counting_count_of_kept(const crebind_counting_scope *scope) {
  if (scope->leaks == NULL || crebind_counting_leaks_is_full(scope->leaks)) return -1;
  int64_t count = scope->blocks;
  for (int i = 0; i < CREBIND_COUNTING_LANES; i++) count += scope->lanes[i].blocks;
  return count;
}

/// Has a scope be notified of its calls from now on.
CREBIND_COUNTING_HIDDEN void crebind_counting_begin_notified(crebind_counting_scope *scope);
/// Ends the notifications of a scope, once the calls that have found it are counted. This waits a tenth of a
/// second at most. A scope that keeps blocks waits as long again for late frees.
CREBIND_COUNTING_HIDDEN void crebind_counting_end_notified(crebind_counting_scope *scope);

#endif
