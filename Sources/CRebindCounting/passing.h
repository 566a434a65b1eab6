/// How a counter of a C function passes a call on.

#ifndef CREBIND_COUNTING_PASSING_H
#define CREBIND_COUNTING_PASSING_H

#include "functions.h"

/// A call on its way to the original.
typedef struct passing {
  void *original;
  const void *caller;
  bool counts;
  /// A hook may be above the counter, or below it.
  bool has_hooks;
} passing;

/// The same where hooks act on some functions.
static inline void pass_on_beside_hooks(passing *passing, const void *counter) {
  crebind_reach_thread *thread = &crebind_reach_this_thread;
  // A hook above the counter calls it for somebody.
  if (thread->callee == counter) passing->caller = thread->caller;
  thread->callee = passing->original;
  thread->caller = passing->caller;
  if (passing->counts) thread->answered = NULL;
}

/// \param counter The counter of the function.
/// \param caller The code that called it.
static inline passing pass_on(crebind_counting_function function, const void *counter,
                              const void *caller, bool counts) {
  passing passing = {.original = crebind_counting_originals[function],
                     .caller = caller,
                     .counts = counts,
                     .has_hooks =
                         atomic_load_explicit(&crebind_reach_hooks, memory_order_relaxed) != 0};
  if (__builtin_expect(passing.has_hooks, 0)) pass_on_beside_hooks(&passing, counter);
  return passing;
}

/// Whether the call that has returned counts. If a hook has answered it, it does not: it would not have
/// come here if the hook were above the counter.
static inline bool has_passed(const passing *passing) {
  if (__builtin_expect(!passing->has_hooks, 1)) return passing->counts;
  crebind_reach_this_thread.callee = NULL;
  return passing->counts && crebind_reach_this_thread.answered != passing->original;
}

#define CALLER __builtin_return_address(0)
#define ORIGINAL(passing, result, ...) ((result(*)(__VA_ARGS__))(passing).original)

#endif
