/// The way that nearly all calls take: find the cell, add one, go on.

// The registers of numbers are not saved here. This precedes all declarations, as gcc inlines no function of another target.
#if defined(__linux__)
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("general-regs-only"))), apply_to = function)
#elif defined(__x86_64__)
#pragma GCC target("general-regs-only")
#endif

#include "run.h"

__thread crebind_run_thread crebind_run_here __attribute__((tls_model("initial-exec"))) = {
    .generation = CREBIND_RUN_NO_GENERATION};
crebind_run_process *crebind_run_process_here;

/// One instruction, or a loop that a signal starts again: a handler on this thread may count, too.
static void add_one(uint64_t *calls) {
#if defined(__x86_64__)
  __asm__("incq %0" : "+m"(*calls));
#else
  __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
#endif
}

void *crebind_run_count(crebind_stub *stub, uint64_t *registers, const void **return_address,
                        bool is_resuming) {
  (void)registers, (void)is_resuming;
  crebind_run_thread *here = &crebind_run_here;
  uint64_t key = (uint64_t)(uintptr_t)*return_address << 16 | ((crebind_run_stub *)stub)->index;
  if (__builtin_expect(here->generation == crebind_run_process_here->generation, 1))
    for (uint64_t i = crebind_run_hash(key);; i++) {
      crebind_run_cell *cell = &here->cells[i & here->mask];
      if (cell->key == key) {
        add_one(&cell->calls);
        return stub->original;
      }
      if (cell->key == 0) break;
    }
  // There all registers are saved, and `crebind_run_count_slowly` is called.
  return (void *)stub->resuming_code;
}

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
#endif
