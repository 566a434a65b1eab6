/// A table of backtraces, in memory of its own.
///
/// Threads, and signal handlers in them, write it at the same time without waiting for each other. So a
/// place is taken by one store of a number that stands for the whole site: a hash of its function and its
/// frames, of 64 bits. A thread that finds this number goes on to count, though the frames may not be
/// written yet.
///
/// The frames are those of `_Unwind_Backtrace`. GCC's version takes them from the images' unwind tables,
/// which most code of every compiler has. Optimised Swift functions that throw nothing may have none.
/// Behind them the frames go on by frame pointers, as long as these lead up the stack and to code.
///
/// The unwinder has no memory of its own but the stack. It finds an image by `_dl_find_object`, without a
/// lock (glibc 2.35, GCC 12), or else by `dl_iterate_phdr`, whose lock a thread may hold already. Its first
/// call prepares constants under `pthread_once`, and may bind lazy slots: that is done in advance.

#define _GNU_SOURCE

#include "sites.h"
#include "loader-counts.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#if !defined(__GLIBC__)
/// GCC's library for glibc cannot be linked with other C libraries. So it is used only if the program
/// has it.
#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIPInfo
#pragma weak _Unwind_GetCFA
#pragma weak _Unwind_GetGR
#endif

#if defined(__x86_64__)
/// The number of the register that has a frame's address, for debuggers.
#define FRAME_POINTER 6
#elif defined(__aarch64__)
#define FRAME_POINTER 29
#endif

#define FRAMES CREBIND_COUNTING_SITE_FRAMES
/// The number of places in which a site is searched.
#define PLACES 64

typedef struct site {
  /// The hash; 0 while the place is free.
  _Atomic uint64_t identity;
  _Atomic uint64_t calls, bytes;
  /// 0 until the frames are written.
  _Atomic uint32_t frame_count;
  crebind_counting_function function;
  bool is_cut;
  uintptr_t frames[FRAMES];
} site;

struct crebind_counting_sites {
  size_t limit;
  /// The generation before the first call was noted.
  crebind_counting_loader_counts generation;
  _Atomic uint64_t dropped;
  site sites[];
};

// MARK: - Frames

typedef struct trace {
  /// In the search for one frame, whether an address is in code that is passed over.
  bool (*is_inside)(const void *context, uintptr_t address);
  const void *context;
  uintptr_t caller;
  bool is_found, is_cut;
  /// The unwinder has found the end of the stack.
  bool is_whole;
  /// The registers of the last frame that the unwinder has found.
  uintptr_t stack_pointer, frame_pointer;
  uint32_t count;
  uintptr_t frames[FRAMES];
} trace;

/// Whether an address is in a counter: that of an object's allocation is below the one of its memory.
static bool is_of_counters(uintptr_t address) {
  return address >= (uintptr_t)__start_crebind_counters
         && address < (uintptr_t)__stop_crebind_counters;
}

/// False if no more are kept.
static bool add_frame(trace *trace, uintptr_t address) {
  if (is_of_counters(address)) return true;
  bool is_search = trace->is_inside != NULL;
  if (is_search && trace->is_inside(trace->context, address)) return true;
  if (trace->count == (is_search ? 1 : FRAMES)) {
    trace->is_cut = true;
    return false;
  }
  trace->frames[trace->count++] = address;
  return true;
}

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *argument) {
  trace *trace = argument;
  int is_next = 0;
  uintptr_t address = (uintptr_t)_Unwind_GetIPInfo(context, &is_next);
  // The mark of a stack's end. Without it the last function had no table.
  trace->is_whole = address == 0;
  if (trace->is_whole) return _URC_END_OF_STACK;
#if defined(FRAME_POINTER)
  trace->stack_pointer = (uintptr_t)_Unwind_GetCFA(context);
  trace->frame_pointer = (uintptr_t)_Unwind_GetGR(context, FRAME_POINTER);
#endif
  // This is a frame that a signal interrupted. In all other frames, the address is behind a call.
  if (is_next) address++;
  // The frames of the counters, and of hooks above them, come first.
  if (address == trace->caller) trace->is_found = true;
  if (!trace->is_found) return _URC_NO_REASON;
  return add_frame(trace, address) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

#if defined(FRAME_POINTER)
/// Finds the object that an address is in, without a lock (glibc 2.35). The result has more fields, which
/// have room here.
extern int _dl_find_object(void *address, void *result) __attribute__((weak));

static bool is_code(uintptr_t address) {
  _Alignas(16) char result[256];
  return _dl_find_object != NULL && _dl_find_object((void *)address, result) == 0;
}

/// Whether the page of an address can be read. The kernel looks at the set before it refuses the number.
static bool is_readable(uintptr_t address) {
  return syscall(SYS_rt_sigprocmask, ~0, address & ~(uintptr_t)4095, NULL, 8) != 0
         && errno == EINVAL;
}

/// Whether all pages between two addresses of a stack can be read, so that they are of the same stack.
static bool reaches(uintptr_t from, uintptr_t to) {
  if (to < from || to - from > 1 << 20) return false;
  for (uintptr_t page = from | 4095; page < to; page += 4096)
    if (!is_readable(page + 1)) return false;
  return true;
}

/// Goes on by frame pointers, where the last function had no table. The stack must not change.
///
/// \returns Whether they lead to the end of the stack.
static bool walk_on(trace *trace) {
  // Swift marks the frames of asynchronous functions by this bit.
  const uintptr_t mark = (uintptr_t)1 << 60;
  uintptr_t low = trace->stack_pointer;
  for (uintptr_t pointer = trace->frame_pointer & ~mark; pointer != 0;) {
    const uintptr_t *frame = (const uintptr_t *)pointer;
    // The walk only goes up the stack, so that it ends.
    if (pointer % sizeof *frame != 0 || pointer < low
        || !reaches(low, pointer + 2 * sizeof *frame))
      return false;
    uintptr_t address = frame[1];
#if defined(__aarch64__)
    // Takes a signature off: xpaclri.
    __asm__("mov x30, %0\n\thint #7\n\tmov %0, x30" : "+r"(address) : : "x30");
#endif
    if (!is_code(address)) return false;
    if (!add_frame(trace, address)) return true;
    low = pointer + 2 * sizeof *frame;
    pointer = frame[0] & ~mark;
  }
  return true;
}
#else
static bool walk_on(trace *trace) {
  (void)trace;
  return false;
}
#endif

/// The unwinder's own calls are not counted, and reach no hook.
static void walk(trace *trace) {
#if !defined(__GLIBC__)
  if (_Unwind_Backtrace == NULL) return;
#endif
  int error = errno;
  crebind_reach_this_thread.suppressed++;
  _Unwind_Backtrace(see_frame, trace);
  // It may be cut at the most frames, too.
  if (trace->is_found && !trace->is_whole && !trace->is_cut && !walk_on(trace))
    trace->is_cut = true;
  crebind_reach_this_thread.suppressed--;
  errno = error;
}

static void begin(trace *trace, uintptr_t caller) {
  trace->caller = caller;
  trace->is_found = trace->is_cut = trace->is_whole = false;
  trace->count = 0;
}

static void find_frames(trace *trace, uintptr_t caller) {
  trace->is_inside = NULL;
  begin(trace, caller);
  walk(trace);
  if (trace->count > 0) return;
  // Without an unwinder.
  trace->frames[trace->count++] = caller;
  trace->is_cut = true;
}

uintptr_t crebind_counting_frame_outside(uintptr_t caller,
                                         bool (*is_inside)(const void *context, uintptr_t address),
                                         const void *context) {
  trace trace = {.is_inside = is_inside, .context = context};
  begin(&trace, caller);
  walk(&trace);
  return trace.count > 0 ? trace.frames[0] : 0;
}

// MARK: - Sites

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

static uint64_t identity_of(crebind_counting_function function, const trace *trace) {
  uint64_t hash = mix(1, (uint64_t)function);
  for (uint32_t i = 0; i < trace->count; i++) hash = mix(hash, trace->frames[i]);
  return hash != 0 ? hash : 1;
}

static void write_frames(site *site, crebind_counting_function function, const trace *trace) {
  site->function = function;
  site->is_cut = trace->is_cut;
  for (uint32_t i = 0; i < trace->count; i++) site->frames[i] = trace->frames[i];
  atomic_store_explicit(&site->frame_count, trace->count, memory_order_release);
}

/// The site's place, taken if need be; NULL if none is left.
static site *find(crebind_counting_sites *sites, crebind_counting_function function,
                  const trace *trace) {
  uint64_t identity = identity_of(function, trace);
  for (size_t i = 0; i < sites->limit && i < PLACES; i++) {
    site *site = &sites->sites[(identity + i) % sites->limit];
    uint64_t found = atomic_load_explicit(&site->identity, memory_order_relaxed);
    if (found == 0 && atomic_compare_exchange_strong(&site->identity, &found, identity)) {
      write_frames(site, function, trace);
      return site;
    }
    if (found == identity) return site;
  }
  return NULL;
}

void crebind_counting_sites_note(crebind_counting_sites *sites,
                                 const crebind_counting_event *event) {
  trace trace;
  find_frames(&trace, (uintptr_t)event->caller);
  site *site = find(sites, event->function, &trace);
  if (site == NULL) {
    sites->dropped++;
    return;
  }
  atomic_fetch_add_explicit(&site->calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&site->bytes, event->bytes, memory_order_relaxed);
}

// MARK: - Making and reading

void crebind_counting_prepare_frames(void) {
  trace trace = {.caller = 0};
  walk(&trace);
}

static size_t size_of(size_t limit) {
  return sizeof(crebind_counting_sites) + limit * sizeof(site);
}

crebind_counting_sites *crebind_counting_sites_make(size_t limit) {
  // Places that are not taken cost no memory.
  crebind_counting_sites *sites = mmap(NULL, size_of(limit), PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sites == MAP_FAILED) return NULL;
  sites->limit = limit;
  sites->generation = crebind_counting_loader_counts_now();
  crebind_counting_prepare_frames();
  return sites;
}

void crebind_counting_sites_free(crebind_counting_sites *sites) {
  munmap(sites, size_of(sites->limit));
}

bool crebind_counting_sites_next(const crebind_counting_sites *sites, size_t *position,
                                 crebind_counting_site *copy) {
  while (*position < sites->limit) {
    const site *site = &sites->sites[(*position)++];
    if (site->identity == 0) continue;
    uint32_t count = atomic_load_explicit(&site->frame_count, memory_order_acquire);
    // The site's first call comes just now, after the end of the scope.
    if (count == 0) continue;
    *copy = (crebind_counting_site){.function = site->function,
                                    .calls = site->calls,
                                    .bytes = site->bytes,
                                    .frames = site->frames,
                                    .frame_count = count,
                                    .is_cut = site->is_cut};
    return true;
  }
  return false;
}

uint64_t crebind_counting_sites_dropped(const crebind_counting_sites *sites) {
  return sites->dropped;
}

bool crebind_counting_sites_are_certain(const crebind_counting_sites *sites, uintptr_t address) {
  return crebind_counting_has_stayed(sites->generation, address);
}
