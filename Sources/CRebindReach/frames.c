/// Backtraces.
///
/// The frames are those of `_Unwind_Backtrace`. GCC's version takes them from the images' unwind tables,
/// which most code of every compiler has. Optimised Swift functions that throw nothing may have none.
/// Behind them the frames go on by frame pointers, as long as these lead up the stack and to code.
///
/// The unwinder has no memory of its own but the stack. It finds an image by `_dl_find_object`, without a
/// lock (glibc 2.35, GCC 12), or else by `dl_iterate_phdr`, whose lock a thread may hold already. Its first
/// call prepares constants under `pthread_once`, and may bind lazy slots: that is done in advance.

#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindSites.h"
#include "CRebindReach.h"

#include <errno.h>
#include <signal.h>
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

#define FRAMES CREBIND_REACH_SITE_FRAMES

typedef struct trace {
  /// In the search for one frame, whether an address is in code that is passed over.
  crebind_reach_is_inside *is_inside;
  const void *context;
  uintptr_t caller;
  bool is_found, is_cut;
  /// The unwinder has found the end of the stack.
  bool is_whole;
  /// The registers of the last frame that the unwinder has found.
  uintptr_t stack_pointer, frame_pointer;
  uint32_t count;
  uintptr_t frames[FRAMES];
  /// Receives the links, if somebody wants them.
  crebind_reach_frames *links;
} trace;

/// The code whose frames are left out. A program may have none of it.
__attribute__((visibility("hidden"), weak)) extern const char __start_crebind_left_out[],
    __stop_crebind_left_out[];

/// False if no more are kept.
static bool add_frame(trace *trace, uintptr_t address) {
  if (address >= (uintptr_t)__start_crebind_left_out
      && address < (uintptr_t)__stop_crebind_left_out)
    return true;
  bool is_search = trace->is_inside != NULL;
  if (is_search && trace->is_inside(trace->context, address)) return true;
  if (trace->count == (is_search ? 1 : FRAMES)) {
    trace->is_cut = true;
    return false;
  }
  trace->frames[trace->count++] = address;
  return true;
}

/// Notes where the stack has a frame's address, if it is there. NULL stands for a place that is not known.
static void add_link(trace *trace, const uintptr_t *place, uintptr_t address) {
  crebind_reach_frames *frames = trace->links;
  if (frames == NULL || !frames->is_linked) return;
  frames->is_linked = place != NULL && frames->link_count < CREBIND_REACH_LINKS && *place == address;
  if (frames->is_linked)
    frames->links[frames->link_count++] = (crebind_reach_link){place, address};
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
  // The frames of counters and of hooks come first.
  bool was_found = trace->is_found;
  if (address == trace->caller) trace->is_found = true;
  if (!trace->is_found) return _URC_NO_REASON;
  const uintptr_t *place = NULL;
#if defined(__x86_64__)
  // A call stores it there. On other machines, functions store it where they like.
  if (!is_next) place = (const uintptr_t *)trace->stack_pointer - 1;
#endif
  if (was_found) add_link(trace, place, address);
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
    add_link(trace, &frame[1], address);
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

void crebind_reach_find_frames(crebind_reach_frames *frames, const void *caller) {
  trace trace = {.is_inside = NULL, .links = frames};
  begin(&trace, (uintptr_t)caller);
  frames->link_count = 0;
  walk(&trace);
  frames->is_linked = frames->is_linked && trace.is_found;
  if (trace.count == 0) {
    // Without an unwinder.
    trace.frames[trace.count++] = (uintptr_t)caller;
    trace.is_cut = true;
  }
  frames->count = trace.count;
  frames->is_cut = trace.is_cut;
  for (uint32_t i = 0; i < trace.count; i++) frames->addresses[i] = trace.frames[i];
}

uintptr_t crebind_reach_frame_outside(uintptr_t caller, crebind_reach_is_inside *is_inside,
                                      const void *context) {
  trace trace = {.is_inside = is_inside, .context = context};
  begin(&trace, caller);
  walk(&trace);
  return trace.count > 0 ? trace.frames[0] : 0;
}

void crebind_reach_prepare_frames(void) {
  trace trace = {.caller = 0};
  walk(&trace);
}
#endif
