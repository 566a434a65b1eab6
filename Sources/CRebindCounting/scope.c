/// Scopes: a time, and whose calls are counted in it.
///
/// For a thread and for the process a scope is a difference of the threads' own numbers. A task's calls
/// come on several threads, whose other calls are not the task's. So its scope is told each call, and has
/// numbers of its own: a *lane* for each thread, as far as these go. A scope that watches images or sites
/// is told each call, too, whatever its reach: its numbers are the sums of what it watches.

#define _GNU_SOURCE

#include "images.h"
#include "leaks.h"
#include "lock.h"
#include "readers.h"
#include "sites.h"
#include "tally.h"

#include <sys/mman.h>

#define LANES 32
#define PEAK_SCOPES 16

_Atomic uint32_t crebind_counting_told_scopes, crebind_counting_leaking_scopes;
/// The scopes of tasks among them.
static _Atomic uint32_t task_scopes;
_Atomic uint32_t crebind_counting_peak_scopes, crebind_counting_listening_scopes;

/// The memory in use by all threads since a scope of the process began.
static struct {
  _Atomic int64_t live, peak;
} peaks[PEAK_SCOPES];

/// The numbers of one thread in a task's scope.
typedef struct lane {
  /// The number of the thread's block; 0 for none yet.
  _Atomic uint32_t owner;
  crebind_counting_tally tally;
} lane;

struct crebind_counting_scope {
  crebind_counting_reach reach;
  _Atomic bool is_active;
  /// Images, sites or leaks.
  bool watches;
  /// Of a process: its place in `peaks`, or -1.
  int peak_index;
  /// Of a thread: the peak that the next older scope has reached so far.
  int64_t outer_peak;
  /// Of a thread or process that is not told calls: the numbers at the beginning. After the end, the
  /// result.
  crebind_counting_counts counts;
  /// Whether the peak is known.
  bool has_peak;
  /// Of a task: the next older scope.
  crebind_counting_scope *outer;
  /// If it is told calls.
  _Atomic int64_t live, peak;
  /// If it watches them.
  crebind_counting_images *images;
  crebind_counting_sites *sites;
  crebind_counting_leaks *leaks;
  /// If it watches leaks: the next older such scope.
  _Atomic(crebind_counting_scope *) outer_leaking;
  /// A bit for each group whose calls have sites. Other scopes may have counters of more in place.
  uint32_t site_groups;
  /// Of a thread or the process, if it is told calls: the next older such scope.
  _Atomic(crebind_counting_scope *) outer_told;
  /// No call reads the list any more that the scope was on.
  bool is_alone;
  /// The calls of threads that have found no lane. Additions are atomic here.
  crebind_counting_tally shared;
  lane lanes[LANES];
};

static const void *task_key;

#if defined(__clang__)
#define SWIFT_CALL __attribute__((swiftcall))
#else
/// The same for one argument and a result.
#define SWIFT_CALL
#endif

/// `crebind_reach_task_value` calls it, too. Each counted call comes here, so that it does without that.
SWIFT_CALL extern void *swift_task_localValueGet(const void *key);

void crebind_counting_set_task_key(const void *key) { task_key = key; }

crebind_counting_scope *crebind_counting_make(crebind_counting_reach reach) {
  // The lanes of threads that do not come cost no memory.
  crebind_counting_scope *scope = mmap(NULL, sizeof *scope, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scope == MAP_FAILED) return NULL;
  scope->reach = reach;
  scope->peak_index = -1;
  return scope;
}

/// A task that outlives its scopes may be counted by others.
static void release(crebind_counting_scope *scope) {
  crebind_reach_this_thread.suppressed++;
  if (scope->images != NULL) crebind_counting_images_free(scope->images);
  if (scope->sites != NULL) crebind_counting_sites_free(scope->sites);
  if (scope->leaks != NULL) crebind_counting_leaks_free(scope->leaks);
  munmap(scope, sizeof *scope);
  crebind_reach_this_thread.suppressed--;
}

bool crebind_counting_watch_images(crebind_counting_scope *scope, bool spares_testing) {
  scope->watches = true;
  scope->images = crebind_counting_images_make(spares_testing);
  return scope->images != NULL;
}

bool crebind_counting_watch_sites(crebind_counting_scope *scope, uint32_t groups, size_t limit) {
  scope->watches = true;
  scope->site_groups = groups;
  scope->sites = crebind_counting_sites_make(limit);
  return scope->sites != NULL;
}

bool crebind_counting_watch_leaks(crebind_counting_scope *scope) {
  scope->watches = true;
  scope->leaks = crebind_counting_leaks_make();
  return scope->leaks != NULL;
}

int64_t crebind_counting_leaked_blocks(const crebind_counting_scope *scope) {
  return scope->leaks != NULL ? crebind_counting_leaks_count(scope->leaks) : -1;
}

bool crebind_counting_next_site(const crebind_counting_scope *scope, size_t *position,
                                crebind_counting_site *site) {
  return scope->sites != NULL && crebind_counting_sites_next(scope->sites, position, site);
}

bool crebind_counting_is_certain(const crebind_counting_scope *scope, uintptr_t address) {
  return scope->sites == NULL || crebind_counting_sites_are_certain(scope->sites, address);
}

uint64_t crebind_counting_dropped_calls(const crebind_counting_scope *scope) {
  return scope->sites != NULL ? crebind_counting_sites_dropped(scope->sites) : 0;
}

const char *crebind_counting_image(const crebind_counting_scope *scope, size_t index,
                                   uint64_t *calls) {
  return scope->images != NULL ? crebind_counting_images_read(scope->images, index, calls) : NULL;
}

// MARK: - Calls of tasks

/// The thread's lane; NULL if another thread has it.
static crebind_counting_tally *lane_of(crebind_counting_scope *scope, uint32_t number) {
  lane *lane = &scope->lanes[number % LANES];
  uint32_t owner = atomic_load_explicit(&lane->owner, memory_order_relaxed);
  if (owner == 0 && atomic_compare_exchange_strong(&lane->owner, &owner, number)) owner = number;
  return owner == number && number != 0 ? &lane->tally : NULL;
}

__attribute__((noinline)) static void add_beside_others(crebind_counting_tally *tally,
                                                        const crebind_counting_event *event) {
  tally->calls[event->function]++;
  bool is_mapped = (event->marks & CREBIND_COUNTING_MAPPED) != 0;
  if (event->bytes != 0) *(is_mapped ? &tally->mapped_bytes : &tally->bytes) += event->bytes;
  if (event->marks == 0) return;
  tally->without_block += (event->marks & CREBIND_COUNTING_WITHOUT_BLOCK) != 0;
  tally->replaced += (event->marks & CREBIND_COUNTING_REPLACED) != 0;
  tally->without_mapping += (event->marks & CREBIND_COUNTING_WITHOUT_MAPPING) != 0;
}

/// Counts a call for what the scope watches. False if it is spared.
__attribute__((noinline)) static bool watch(crebind_counting_scope *scope,
                                            const crebind_counting_event *event) {
  crebind_counting_maker maker = scope->images != NULL
                                     ? crebind_counting_images_note(scope->images, event)
                                     : CREBIND_COUNTING_ANYBODY;
  if (maker == CREBIND_COUNTING_SPARED) return false;
  // A block that replaces another one is looked at with that.
  if (scope->leaks != NULL && maker != CREBIND_COUNTING_OF_TASKS && event->block != NULL
      && (event->marks & CREBIND_COUNTING_REPLACED) == 0)
    crebind_counting_leaks_add(scope->leaks, event->block);
  if (scope->sites != NULL
      && (scope->site_groups & 1u << crebind_counting_group_of(event->function)) != 0)
    crebind_counting_sites_note(scope->sites, event);
  return true;
}

/// Counts a call in a scope that is told it.
__attribute__((always_inline)) static inline void tell_scope(crebind_counting_scope *scope,
                                                             const crebind_counting_block *block,
                                                             const crebind_counting_event *event) {
  if (!scope->is_active) return;
  if (scope->watches && !watch(scope, event)) return;
  crebind_counting_tally *tally = lane_of(scope, block->number);
  if (tally != NULL) crebind_counting_add(tally, event);
  else add_beside_others(&scope->shared, event);
  if (event->live == 0) return;
  int64_t live = atomic_fetch_add_explicit(&scope->live, event->live, memory_order_relaxed);
  if (event->live > 0) crebind_counting_raise(&scope->peak, live + event->live);
}

/// Counts a call in the scopes of the thread's task.
static void tell_task(const crebind_counting_block *block, const crebind_counting_event *event) {
  crebind_counting_scope *const *value = swift_task_localValueGet(task_key);
  for (crebind_counting_scope *scope = value != NULL ? *value : NULL; scope != NULL;
       scope = scope->outer)
    tell_scope(scope, block, event);
}

// MARK: - Calls of a thread or the process that are watched

/// The scopes of the process that are told calls, the youngest first.
static _Atomic(crebind_counting_scope *) process_told;
/// The scopes that watch leaks, the same way. They are told the frees of all threads.
static _Atomic(crebind_counting_scope *) leaking;
/// Scopes to be freed when no call reads the list. Guarded by the lock.
static crebind_counting_scope *retired;

__attribute__((noinline)) static void tell_list(crebind_counting_scope *scope,
                                                const crebind_counting_block *block,
                                                const crebind_counting_event *event) {
  for (; scope != NULL; scope = scope->outer_told) tell_scope(scope, block, event);
}

/// Counts a call in the scopes of the process.
__attribute__((noinline)) static void tell_process(const crebind_counting_block *block,
                                                   const crebind_counting_event *event) {
  unsigned parity = crebind_counting_begin_reading();
  tell_list(process_told, block, event);
  crebind_counting_end_reading(parity);
}

void crebind_counting_begin_move(crebind_counting_move *move, const void *block) {
  // Until the move ends, so that no scope is freed that it leads to.
  move->parity = crebind_counting_begin_reading();
  move->count = 0;
  for (crebind_counting_scope *scope = leaking; scope != NULL; scope = scope->outer_leaking) {
    if (!crebind_counting_leaks_take(scope->leaks, block)) continue;
    if (move->count < sizeof move->leaks / sizeof *move->leaks)
      move->leaks[move->count++] = scope->leaks;
    else crebind_counting_leaks_give_up(scope->leaks);
  }
}

void crebind_counting_end_move(const crebind_counting_move *move, const void *block) {
  for (unsigned i = 0; block != NULL && i < move->count; i++)
    crebind_counting_leaks_add(move->leaks[i], block);
  crebind_counting_end_reading(move->parity);
}

void crebind_counting_tell(const crebind_counting_block *block,
                           const crebind_counting_event *event) {
  if (atomic_load_explicit(&task_scopes, memory_order_relaxed) != 0) tell_task(block, event);
  if (event->live != 0
      && atomic_load_explicit(&crebind_counting_peak_scopes, memory_order_relaxed) != 0)
    crebind_counting_note_peak(event->live);
  if (crebind_counting_this_thread.told != NULL)
    tell_list(crebind_counting_this_thread.told, block, event);
  if (process_told != NULL) tell_process(block, event);
}

static bool is_told(const crebind_counting_scope *scope) {
  return scope->reach == CREBIND_COUNTING_TASK || scope->watches;
}

/// Whether it is on a list that other threads read.
static bool is_listed(const crebind_counting_scope *scope) {
  return is_told(scope) && (scope->reach == CREBIND_COUNTING_PROCESS || scope->leaks != NULL);
}

/// Puts it on the lists that other threads read.
static void list(crebind_counting_scope *scope) {
  crebind_counting_lock();
  if (scope->reach == CREBIND_COUNTING_PROCESS) {
    scope->outer_told = process_told;
    process_told = scope;
  }
  if (scope->leaks != NULL) {
    scope->outer_leaking = leaking;
    leaking = scope;
    crebind_counting_leaking_scopes++;
  }
  crebind_counting_unlock();
}

static void release_retired(void) {
  while (retired != NULL) {
    crebind_counting_scope *next = retired->outer;
    release(retired);
    retired = next;
  }
}

static void unlist(crebind_counting_scope *scope) {
  crebind_counting_lock();
  _Atomic(crebind_counting_scope *) *link = &process_told;
  while (*link != NULL && *link != scope) link = &(*link)->outer_told;
  if (*link != NULL) *link = scope->outer_told;
  link = &leaking;
  while (*link != NULL && *link != scope) link = &(*link)->outer_leaking;
  if (*link != NULL) *link = scope->outer_leaking;
  if (scope->leaks != NULL) crebind_counting_leaking_scopes--;
  // A call that has found it on a list is counted in full.
  scope->is_alone = crebind_counting_wait_for_readers();
  if (scope->is_alone) release_retired();
  crebind_counting_unlock();
}

static void begin_told(crebind_counting_scope *scope) {
  if (scope->reach == CREBIND_COUNTING_TASK) {
    task_scopes++;
  } else if (scope->reach == CREBIND_COUNTING_THREAD) {
    scope->outer_told = crebind_counting_this_thread.told;
    crebind_counting_this_thread.told = scope;
  }
  if (is_listed(scope)) list(scope);
  crebind_counting_told_scopes++;
  crebind_counting_listening_scopes++;
}

/// The runtime frees a task, and the result that it keeps, a little later than the task ends.
static void wait_for_frees(const crebind_counting_scope *scope) {
  for (int i = 0; i < 100 && crebind_counting_leaked_blocks(scope) > 0; i++)
    crebind_counting_pause(1000000);
}

static void end_told(crebind_counting_scope *scope) {
  if (scope->leaks != NULL) wait_for_frees(scope);
  crebind_counting_told_scopes--;
  crebind_counting_listening_scopes--;
  if (scope->reach == CREBIND_COUNTING_TASK) task_scopes--;
  else if (scope->reach == CREBIND_COUNTING_THREAD)
    crebind_counting_this_thread.told = scope->outer_told;
  if (is_listed(scope)) unlist(scope);
}

void crebind_counting_free(crebind_counting_scope *scope) {
  if (!is_listed(scope) || scope->is_alone) {
    release(scope);
    return;
  }
  // A call that was stopped may have it. Then the next scope that waits for calls will free it.
  crebind_counting_lock();
  scope->outer = retired;
  retired = scope;
  if (crebind_counting_has_no_readers()) release_retired();
  crebind_counting_unlock();
}

void crebind_counting_note_peak(int64_t live) {
  uint32_t scopes = crebind_counting_peak_scopes;
  for (int i = 0; i < PEAK_SCOPES; i++) {
    if ((scopes & 1u << i) == 0) continue;
    int64_t before = atomic_fetch_add_explicit(&peaks[i].live, live, memory_order_relaxed);
    crebind_counting_raise(&peaks[i].peak, before + live);
  }
}

// MARK: - Sums and differences

static void add_tally(crebind_counting_counts *sum, const crebind_counting_tally *tally) {
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) sum->calls[i] += tally->calls[i];
  sum->without_block += tally->without_block;
  sum->replaced += tally->replaced;
  sum->bytes += tally->bytes;
  sum->without_mapping += tally->without_mapping;
  sum->mapped_bytes += tally->mapped_bytes;
  sum->live += tally->live;
}

static void subtract(crebind_counting_counts *counts, const crebind_counting_counts *before) {
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) counts->calls[i] -= before->calls[i];
  counts->without_block -= before->without_block;
  counts->replaced -= before->replaced;
  counts->bytes -= before->bytes;
  counts->without_mapping -= before->without_mapping;
  counts->mapped_bytes -= before->mapped_bytes;
  counts->live -= before->live;
}

/// This thread's block, which a begin has seen to.
static crebind_counting_block *own_block(void) {
  crebind_counting_block *block = crebind_counting_this_thread.block;
  return block != NULL ? block : crebind_counting_claim();
}

/// The counts so far: in a scope that is told calls, or since the threads were new.
static crebind_counting_counts sum(const crebind_counting_scope *scope) {
  crebind_counting_counts sum = {.live = 0};
  if (is_told(scope)) {
    add_tally(&sum, &scope->shared);
    for (int i = 0; i < LANES; i++) add_tally(&sum, &scope->lanes[i].tally);
    sum.live = scope->live;
    sum.peak = scope->peak;
  } else if (scope->reach == CREBIND_COUNTING_THREAD) {
    add_tally(&sum, &own_block()->tally);
  } else {
    for (const crebind_reach_block *block = crebind_counting_blocks; block != NULL;
         block = block->next)
      add_tally(&sum, &((const crebind_counting_block *)block)->tally);
  }
  return sum;
}

// MARK: - Begin and end

/// Takes a place in `peaks`; -1 if all are taken.
static int begin_peak(void) {
  crebind_counting_lock();
  int index = 0;
  while (index < PEAK_SCOPES && (crebind_counting_peak_scopes & 1u << index) != 0) index++;
  if (index < PEAK_SCOPES) {
    peaks[index].live = 0;
    peaks[index].peak = 0;
    crebind_counting_peak_scopes |= 1u << index;
    crebind_counting_listening_scopes++;
  }
  crebind_counting_unlock();
  return index < PEAK_SCOPES ? index : -1;
}

/// Begins a scope that is a difference.
static void begin_difference(crebind_counting_scope *scope, bool tracks_peak) {
  crebind_counting_block *block = own_block();
  if (scope->reach == CREBIND_COUNTING_THREAD) {
    scope->outer_peak = block->peak;
    block->peak = block->tally.live;
  } else if (tracks_peak) {
    scope->peak_index = begin_peak();
  }
  scope->counts = sum(scope);
}

/// The difference since then.
static crebind_counting_counts difference(const crebind_counting_scope *scope) {
  crebind_counting_counts counts = sum(scope);
  if (scope->reach == CREBIND_COUNTING_THREAD)
    counts.peak = own_block()->peak - scope->counts.live;
  else if (scope->peak_index >= 0) counts.peak = peaks[scope->peak_index].peak;
  subtract(&counts, &scope->counts);
  return counts;
}

static void end_difference(crebind_counting_scope *scope) {
  crebind_counting_block *block = own_block();
  if (scope->reach == CREBIND_COUNTING_THREAD) {
    if (block->peak < scope->outer_peak) block->peak = scope->outer_peak;
  } else if (scope->peak_index >= 0) {
    crebind_counting_peak_scopes &= ~(1u << scope->peak_index);
    crebind_counting_listening_scopes--;
  }
}

void crebind_counting_begin(crebind_counting_scope *scope, crebind_counting_scope *outer,
                            bool tracks_peak) {
  scope->outer = outer;
  if (is_told(scope)) begin_told(scope);
  else begin_difference(scope, tracks_peak);
  scope->has_peak = scope->reach != CREBIND_COUNTING_PROCESS
                    || (is_told(scope) ? tracks_peak : scope->peak_index >= 0);
  scope->is_active = true;
}

bool crebind_counting_read(const crebind_counting_scope *scope, crebind_counting_counts *counts) {
  if (!scope->is_active) *counts = scope->counts;
  else *counts = is_told(scope) ? sum(scope) : difference(scope);
  return scope->has_peak;
}

void crebind_counting_end(crebind_counting_scope *scope) {
  if (is_told(scope)) {
    scope->is_active = false;
    end_told(scope);
    scope->counts = sum(scope);
  } else {
    scope->counts = difference(scope);
    scope->is_active = false;
    end_difference(scope);
  }
}
