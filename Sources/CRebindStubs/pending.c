/// Calls whose ends are awaited, and their trampolines.
///
/// Which trampolines are taken stands in words of 64 bits, a cache line each. A thread starts with the word
/// that its address leads to, and goes on to the words behind it. No thread owns any, so that a call may begin on one
/// thread and end on another, as those of coroutines do. All of this may run inside malloc, or in a signal
/// handler. It takes no lock that another thread waits for, and calls no function.
///
/// A call that longjmp or an exception has left has no end. Its trampoline is found when the thread has none
/// left: the place of its return address no longer leads to it. A library that copies stacks away and back, as
/// greenlet does, must not have more than 512 calls pending: what it has copied away is taken for left.

#if defined(__linux__)
#define _GNU_SOURCE

#include "layout.h"
#include "processor.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// A hot handler awaits ends, too: no register of numbers may change here. A test looks at the machine code.
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("general-regs-only"))), apply_to = function)
#elif defined(__x86_64__)
#pragma GCC target("general-regs-only")
#endif

#define WORDS (CREBIND_STUBS_TRAMPOLINES / 64)
/// A thread's calls take trampolines of so many words.
#define WINDOW 8

typedef struct word {
  /// A bit for each trampoline that is taken.
  _Atomic uint64_t taken;
  uint64_t padding[7];
} word;

typedef struct record {
  crebind_stubs_pending pending;
  /// Whose call it is: the address of a thread-local variable.
  const void *thread;
  /// Odd while it is taken, and another number each time.
  _Atomic uint64_t state;
} record;

static record records[CREBIND_STUBS_TRAMPOLINES];
// No call returns to the first trampoline.
static word words[WORDS] = {{.taken = 1}};
static _Atomic uint64_t not_awaited;

/// How many calls of this thread go by before the next search for calls that were left, and how many after a search
/// that finds none. In the static TLS block, because the first access to dynamic TLS allocates.
static __thread struct {
  uint32_t left, after;
} search_pause __attribute__((tls_model("initial-exec")));
#define LONGEST_PAUSE 256

uint64_t crebind_stubs_not_awaited(void) { return not_awaited; }

/// The first word of this thread. Its variables lie at a distance of pages from other threads'.
static size_t home(void) {
  uint64_t number = (uint64_t)(uintptr_t)&search_pause >> 12;
  return (size_t)(number * 0x9e3779b97f4a7c15u >> 40) % WORDS;
}

static void release(size_t index) {
  atomic_fetch_and(&words[index / 64].taken, ~(1ull << index % 64));
}

/// Only who has taken a trampoline, or has its call, comes here.
static void next_state(record *record) {
  uint64_t state = atomic_load_explicit(&record->state, memory_order_relaxed);
  atomic_store_explicit(&record->state, state + 1, memory_order_release);
}

static size_t take(void) {
  size_t first = home();
  for (size_t i = 0; i < WINDOW; i++) {
    size_t place = (first + i) % WORDS;
    uint64_t taken = words[place].taken;
    while (~taken != 0) {
      uint64_t bit = ~taken & -~taken;
      taken = atomic_fetch_or(&words[place].taken, bit);
      if ((taken & bit) == 0) return place * 64 + (size_t)__builtin_ctzll(bit);
    }
  }
  return 0;
}

/// The trampoline at an address; 0 for none.
static size_t trampoline_at(const void *address) {
  size_t distance = (size_t)((const char *)address - (const char *)crebind_stubs_trampolines);
  return distance / CREBIND_STUBS_CODE_SIZE < CREBIND_STUBS_TRAMPOLINES
             ? distance / CREBIND_STUBS_CODE_SIZE
             : 0;
}

const void *crebind_stubs_caller(const void *return_address) {
  size_t index;
  while ((index = trampoline_at(return_address)) != 0)
    return_address = crebind_stubs_returns[index].address;
  return return_address;
}

#if defined(__x86_64__)

/// The word at an address of a stack that may be gone; NULL for none.
static const void *word_at(long thread, const void **place) {
  const void *found = NULL;
  struct iovec here = {&found, sizeof found}, there = {(void *)place, sizeof found};
  long count = syscall(SYS_process_vm_readv, thread, &here, 1L, &there, 1L, 0L);
  // Where the kernel does not let anybody read, the call may go on.
  return count < 0 && errno != EFAULT ? crebind_stubs_trampolines : found;
}

/// Whether a call was left. Calls that took the place of one another, as tail calls do, have one return
/// address, and each leads to the one before.
static bool was_left(long thread, size_t index) {
  const void *word = word_at(thread, crebind_stubs_returns[index].place);
  if (word == crebind_stubs_trampolines) return false;
  size_t found = trampoline_at(word);
  for (size_t i = 0; found != 0 && found != index && i < CREBIND_STUBS_TRAMPOLINES; i++)
    found = trampoline_at(crebind_stubs_returns[found].address);
  return found != index;
}

/// Frees the trampolines of calls of this thread that were left. True if there was one.
static bool collect(void) {
  if (search_pause.left > 0) {
    search_pause.left--;
    return false;
  }
  int error = errno;
  bool has_found = false;
  long thread = syscall(SYS_gettid);
  size_t first = home();
  for (size_t i = 0; i < WINDOW * 64; i++) {
    size_t index = (first * 64 + i) % CREBIND_STUBS_TRAMPOLINES;
    uint64_t state = records[index].state;
    if (index == 0 || state % 2 == 0 || records[index].thread != &search_pause
        || !was_left(thread, index))
      continue;
    if (atomic_compare_exchange_strong(&records[index].state, &state, state + 1)) {
      release(index);
      has_found = true;
    }
  }
  search_pause.after = has_found ? 0 : search_pause.after * 2 + 1;
  if (search_pause.after > LONGEST_PAUSE) search_pause.after = LONGEST_PAUSE;
  search_pause.left = search_pause.after;
  errno = error;
  return has_found;
}

#else

/// The return address is in a register, and the callee keeps it where it likes: nobody can tell.
static bool collect(void) { return false; }

#endif

crebind_stubs_pending *crebind_stubs_await(const void **return_address,
                                           crebind_stubs_ended *ended) {
  size_t index = 0;
  if (!crebind_stubs_has_shadow_stack()) {
    index = take();
    if (index == 0 && collect()) index = take();
  }
  if (index == 0) {
    not_awaited++;
    return NULL;
  }
  record *record = &records[index];
  record->thread = &search_pause;
  record->pending.ended = ended;
  // One after the other: two words together would go through a register of vectors.
  __atomic_store_n(&crebind_stubs_returns[index].address, *return_address, __ATOMIC_RELAXED);
  __atomic_store_n(&crebind_stubs_returns[index].place, return_address, __ATOMIC_RELAXED);
  *return_address = crebind_stubs_trampolines[index].code;
  // This comes last: from here on, others may look at the record.
  next_state(record);
  return &record->pending;
}

void crebind_stubs_end(const crebind_stubs_block *trampoline, uint64_t *results,
                       const void **place) {
  size_t index = (size_t)(trampoline - crebind_stubs_trampolines);
  record *record = &records[index];
  // A call that was taken for one that was left has lost its trampoline, which may still know the way.
  bool is_taken = record->state % 2 != 0;
  if (is_taken) record->pending.ended(&record->pending, results);
  // From here on nothing on the stack leads to the trampoline: a signal handler may take it.
  *place = crebind_stubs_returns[index].address;
  if (!is_taken) return;
  next_state(record);
  release(index);
}

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
#endif
