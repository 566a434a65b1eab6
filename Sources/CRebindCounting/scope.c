/// Scopes: a time, and whose calls are counted in it.
///
/// For a thread and for the process a scope is a difference of the threads' own numbers. A task's calls
/// come on several threads, whose other calls are not the task's. So its scope is told each call, and has
/// numbers of its own: a *lane* for each thread, as far as these go. A scope that watches images or sites
/// is told each call, too, whatever its reach: its numbers are the sums of what it watches.

#if defined(__linux__)
#define _GNU_SOURCE

#include "scope.h"
#include "peaks.h"

#include <sys/mman.h>

static bool keep_blocks(crebind_counting_scope *scope) {
  scope->watches = true;
  if (scope->leaks == NULL) scope->leaks = crebind_counting_leaks_make();
  return scope->leaks != NULL;
}

crebind_counting_scope *crebind_counting_make(crebind_counting_reach reach) {
  // The lanes of threads that do not come cost no memory.
  crebind_counting_scope *scope = mmap(NULL, sizeof *scope, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scope == MAP_FAILED) return NULL;
  scope->reach = reach;
  scope->peak_place = -1;
  // Without memory for the addresses, the rest is counted all the same.
  if (reach == CREBIND_COUNTING_TASK) keep_blocks(scope);
  return scope;
}

bool crebind_counting_watch_images(crebind_counting_scope *scope, bool spares_testing) {
  scope->watches = true;
  scope->images = crebind_counting_images_make(spares_testing);
  return scope->images != NULL;
}

bool crebind_counting_watch_sites(crebind_counting_scope *scope, uint32_t groups, size_t limit) {
  scope->watches = true;
  scope->site_groups = groups;
  scope->sites = crebind_reach_make_sites(limit);
  return scope->sites != NULL;
}

bool crebind_counting_watch_leaks(crebind_counting_scope *scope) {
  scope->finds_leaks = true;
  return keep_blocks(scope);
}

bool crebind_counting_keeps_blocks(const crebind_counting_scope *scope) {
  return scope->reach == CREBIND_COUNTING_TASK || scope->finds_leaks;
}

int64_t crebind_counting_kept_blocks(const crebind_counting_scope *scope) {
  return crebind_counting_count_of_kept(scope);
}

int64_t crebind_counting_leaked_blocks(const crebind_counting_scope *scope) {
  return scope->finds_leaks ? crebind_counting_kept_blocks(scope) : -1;
}

bool crebind_counting_next_site(const crebind_counting_scope *scope, size_t *position,
                                crebind_reach_site *site) {
  return scope->sites != NULL && crebind_reach_next_site(scope->sites, position, site);
}

bool crebind_counting_is_certain(const crebind_counting_scope *scope, uintptr_t address) {
  return scope->sites == NULL || crebind_reach_is_certain(scope->sites, address);
}

uint64_t crebind_counting_dropped_calls(const crebind_counting_scope *scope) {
  return scope->sites != NULL ? crebind_reach_dropped_calls(scope->sites) : 0;
}

const char *crebind_counting_image(const crebind_counting_scope *scope, size_t index,
                                   uint64_t *calls) {
  return scope->images != NULL ? crebind_counting_images_read(scope->images, index, calls) : NULL;
}

// MARK: - Sums and differences

static void add_sums(crebind_counting_counts *sum, const crebind_counting_sums *sums) {
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) sum->calls[i] += sums->calls[i];
  sum->without_block += sums->without_block;
  sum->replaced += sums->replaced;
  sum->bytes += sums->bytes;
  sum->without_mapping += sums->without_mapping;
  sum->mapped_bytes += sums->mapped_bytes;
  sum->live += sums->live;
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

/// The counts so far: in a scope that is notified of calls, or since the threads were new.
static crebind_counting_counts sum(const crebind_counting_scope *scope) {
  crebind_counting_counts sum = {.live = 0};
  if (crebind_counting_is_notified(scope)) {
    add_sums(&sum, &scope->shared);
    for (int i = 0; i < CREBIND_COUNTING_LANES; i++) add_sums(&sum, &scope->lanes[i].sums);
    sum.live = scope->usage.live;
    sum.peak = scope->usage.peak;
  } else if (scope->reach == CREBIND_COUNTING_THREAD) {
    add_sums(&sum, &crebind_counting_own_block()->sums);
  } else {
    for (const crebind_reach_block *block = crebind_counting_blocks; block != NULL;
         block = block->next)
      add_sums(&sum, &((const crebind_counting_block *)block)->sums);
  }
  return sum;
}

// MARK: - Begin and end

/// Begins a scope that is a difference.
static void begin_difference(crebind_counting_scope *scope, bool tracks_peak) {
  crebind_counting_block *block = crebind_counting_own_block();
  if (scope->reach == CREBIND_COUNTING_THREAD) {
    scope->outer_peak = block->peak;
    block->peak = block->sums.live;
  } else if (tracks_peak) {
    scope->peak_place = crebind_counting_begin_peak();
  }
  scope->counts = sum(scope);
}

/// The difference since the scope began.
static crebind_counting_counts difference(const crebind_counting_scope *scope) {
  crebind_counting_counts counts = sum(scope);
  if (scope->reach == CREBIND_COUNTING_THREAD)
    counts.peak = crebind_counting_own_block()->peak - scope->counts.live;
  else if (scope->peak_place >= 0) counts.peak = crebind_counting_peak(scope->peak_place);
  subtract(&counts, &scope->counts);
  return counts;
}

static void end_difference(crebind_counting_scope *scope) {
  crebind_counting_block *block = crebind_counting_own_block();
  if (scope->reach == CREBIND_COUNTING_THREAD) {
    if (block->peak < scope->outer_peak) block->peak = scope->outer_peak;
  } else if (scope->peak_place >= 0) {
    crebind_counting_end_peak(scope->peak_place);
  }
}

/// Has calls be counted that the scope may need, or no longer.
///
/// \param change 1, or -1.
static void announce(const crebind_counting_scope *scope, uint32_t change) {
  if (scope->reach == CREBIND_COUNTING_THREAD) crebind_counting_this_thread.scopes += change;
  if (scope->reach == CREBIND_COUNTING_PROCESS) crebind_counting_process_scopes += change;
  if (scope->reach != CREBIND_COUNTING_THREAD || scope->leaks != NULL)
    crebind_counting_shared_scopes += change;
}

void crebind_counting_begin(crebind_counting_scope *scope, crebind_counting_scope *outer,
                            bool tracks_peak) {
  scope->outer = outer;
  announce(scope, 1);
  if (crebind_counting_is_notified(scope)) crebind_counting_begin_notified(scope);
  else begin_difference(scope, tracks_peak);
  scope->has_peak = scope->reach != CREBIND_COUNTING_PROCESS
                    || (crebind_counting_is_notified(scope) ? tracks_peak : scope->peak_place >= 0);
  scope->is_active = true;
}

bool crebind_counting_read(const crebind_counting_scope *scope, crebind_counting_counts *counts) {
  if (!scope->is_active) *counts = scope->counts;
  else *counts = crebind_counting_is_notified(scope) ? sum(scope) : difference(scope);
  return scope->has_peak;
}

void crebind_counting_end(crebind_counting_scope *scope) {
  if (crebind_counting_is_notified(scope)) {
    scope->is_active = false;
    crebind_counting_end_notified(scope);
    scope->counts = sum(scope);
  } else {
    scope->counts = difference(scope);
    scope->is_active = false;
    end_difference(scope);
  }
  announce(scope, -1u);
}
#endif
