/// A table of backtraces, in memory of its own.
///
/// Threads, and signal handlers in them, write it at the same time without waiting for each other. So a
/// place is taken by one store of a number that stands for the whole site: a hash of its function and its
/// frames, of 64 bits. A thread that finds this number goes on to count, though the frames may not be
/// written yet.
///
/// Walking a stack takes microseconds, and a loop makes all of its calls from one stack. So recent stacks are kept, with
/// the places of their return addresses. A stack is the same if its innermost frame is at the same place and each of
/// these places has the same address. They are read from the innermost one on: if all before it are the same, the next
/// place is part of this stack, too.

#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindSites.h"

#include <stdatomic.h>
#include <sys/mman.h>

/// The number of places in which a site is searched.
#define PLACES 64

/// The number of recent stacks, each in a place of its own.
#define RECENT 256

/// A call's stack, and its site.
typedef struct recent {
  /// Odd while it is written.
  _Atomic uint32_t version;
  uint32_t function;
  const void *caller, *place;
  size_t site;
  uint32_t link_count;
  crebind_reach_link links[CREBIND_REACH_LINKS];
} recent;

typedef struct site {
  /// The hash; 0 while the place is free.
  _Atomic uint64_t identity;
  _Atomic uint64_t calls, amount, greatest;
  /// 0 until the frames are written.
  _Atomic uint32_t frame_count;
  uint32_t function;
  bool is_cut;
  uintptr_t frames[CREBIND_REACH_SITE_FRAMES];
} site;

struct crebind_reach_sites {
  size_t limit;
  /// The loader's counts before the first call was noted.
  crebind_reach_loader_counts images;
  _Atomic uint64_t dropped;
  recent recent[RECENT];
  site sites[];
};

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

static uint64_t identity_of(uint32_t function, const crebind_reach_frames *frames) {
  uint64_t hash = mix(1, function);
  for (uint32_t i = 0; i < frames->count; i++) hash = mix(hash, frames->addresses[i]);
  return hash != 0 ? hash : 1;
}

static void write_frames(site *site, uint32_t function, const crebind_reach_frames *frames) {
  site->function = function;
  site->is_cut = frames->is_cut;
  for (uint32_t i = 0; i < frames->count; i++) site->frames[i] = frames->addresses[i];
  atomic_store_explicit(&site->frame_count, frames->count, memory_order_release);
}

/// The site's place, taken if need be; NULL if none is left.
static site *find(crebind_reach_sites *sites, uint32_t function,
                  const crebind_reach_frames *frames) {
  uint64_t identity = identity_of(function, frames);
  for (size_t i = 0; i < sites->limit && i < PLACES; i++) {
    site *site = &sites->sites[(identity + i) % sites->limit];
    uint64_t found = atomic_load_explicit(&site->identity, memory_order_relaxed);
    if (found == 0 && atomic_compare_exchange_strong(&site->identity, &found, identity)) {
      write_frames(site, function, frames);
      return site;
    }
    if (found == identity) return site;
  }
  return NULL;
}

static recent *recent_of(crebind_reach_sites *sites, const void *caller, const void *place) {
  return &sites->recent[mix(mix(1, (uintptr_t)caller), (uintptr_t)place) % RECENT];
}

/// The site of a recent call of the same stack; NULL for none.
static site *find_recent(crebind_reach_sites *sites, uint32_t function, const void *caller,
                         const void *place) {
  const recent *recent = recent_of(sites, caller, place);
  uint32_t version = atomic_load_explicit(&recent->version, memory_order_acquire);
  uint32_t count = recent->link_count;
  size_t index = recent->site;
  if (version % 2 != 0 || recent->function != function || recent->caller != caller
      || recent->place != place || count > CREBIND_REACH_LINKS)
    return NULL;
  crebind_reach_link links[CREBIND_REACH_LINKS];
  for (uint32_t i = 0; i < count; i++) links[i] = recent->links[i];
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load_explicit(&recent->version, memory_order_relaxed) != version) return NULL;
  for (uint32_t i = 0; i < count; i++)
    if (*links[i].place != links[i].address) return NULL;
  return &sites->sites[index];
}

static void keep_recent(crebind_reach_sites *sites, uint32_t function, const void *caller,
                        const void *place, const crebind_reach_frames *frames, size_t index) {
  recent *recent = recent_of(sites, caller, place);
  uint32_t version = recent->version;
  if (version % 2 != 0
      || !atomic_compare_exchange_strong(&recent->version, &version, version + 1))
    return;
  recent->function = function;
  recent->caller = caller;
  recent->place = place;
  recent->site = index;
  recent->link_count = frames->link_count;
  for (uint32_t i = 0; i < frames->link_count; i++) recent->links[i] = frames->links[i];
  atomic_store_explicit(&recent->version, version + 2, memory_order_release);
}

size_t crebind_reach_note_call(crebind_reach_sites *sites, uint32_t function, const void *caller,
                               const void *place, uint64_t amount) {
  site *site = place != NULL ? find_recent(sites, function, caller, place) : NULL;
  if (site == NULL) {
    crebind_reach_frames frames;
    frames.is_linked = place != NULL;
    crebind_reach_find_frames(&frames, caller);
    site = find(sites, function, &frames);
    if (site == NULL) {
      sites->dropped++;
      return 0;
    }
    if (frames.is_linked)
      keep_recent(sites, function, caller, place, &frames, (size_t)(site - sites->sites));
  }
  atomic_fetch_add_explicit(&site->calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&site->amount, amount, memory_order_relaxed);
  uint64_t greatest = atomic_load_explicit(&site->greatest, memory_order_relaxed);
  while (greatest < amount
         && !atomic_compare_exchange_weak(&site->greatest, &greatest, amount))
    continue;
  return (size_t)(site - sites->sites) + 1;
}

// MARK: - Making and reading

static size_t size_of(size_t limit) {
  return sizeof(crebind_reach_sites) + limit * sizeof(site);
}

crebind_reach_sites *crebind_reach_make_sites(size_t limit) {
  // Places that are not taken cost no memory.
  crebind_reach_sites *sites = mmap(NULL, size_of(limit), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sites == MAP_FAILED) return NULL;
  sites->limit = limit;
  sites->images = crebind_reach_loader_counts_now();
  crebind_reach_prepare_frames();
  return sites;
}

void crebind_reach_free_sites(crebind_reach_sites *sites) { munmap(sites, size_of(sites->limit)); }

bool crebind_reach_next_site(const crebind_reach_sites *sites, size_t *position,
                             crebind_reach_site *copy) {
  while (*position < sites->limit) {
    const site *site = &sites->sites[(*position)++];
    if (site->identity == 0) continue;
    uint32_t count = atomic_load_explicit(&site->frame_count, memory_order_acquire);
    // The site's first call comes just now, after the end of the scope.
    if (count == 0) continue;
    *copy = (crebind_reach_site){.function = site->function,
                                 .calls = site->calls,
                                 .amount = site->amount,
                                 .greatest = site->greatest,
                                 .frames = site->frames,
                                 .frame_count = count,
                                 .is_cut = site->is_cut};
    return true;
  }
  return false;
}

uint64_t crebind_reach_dropped_calls(const crebind_reach_sites *sites) { return sites->dropped; }

bool crebind_reach_is_certain(const crebind_reach_sites *sites, uintptr_t address) {
  return crebind_reach_has_stayed(sites->images, address);
}
#endif
