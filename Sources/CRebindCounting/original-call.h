/// How a counter of a C function passes a call on.

#if defined(__linux__) && !defined(CREBIND_COUNTING_ORIGINAL_CALL_H)
#define CREBIND_COUNTING_ORIGINAL_CALL_H

#include "functions.h"

/// A call on its way to the original.
typedef struct original_call {
  void *original;
  const void *caller;
  bool counts;
  /// A hook may be above the counter, or below it.
  bool has_hooks;
} original_call;

/// Begins a call in a process where hooks act on some functions.
static inline void begin_beside_hooks(original_call *call, const void *counter) {
  crebind_reach_thread *thread = &crebind_reach_this_thread;
  // A hook above the counter calls it for somebody.
  if (thread->callee == counter) call->caller = thread->caller;
  thread->callee = call->original;
  thread->caller = call->caller;
  if (call->counts) thread->answered = NULL;
}

/// \param counter The counter of the function.
/// \param caller The code that called it.
static inline original_call begin_original_call(crebind_counting_function function,
                                                const void *counter, const void *caller,
                                                bool counts) {
  original_call call = {
      .original = crebind_counting_originals[function],
      .caller = caller,
      .counts = counts,
      .has_hooks = atomic_load_explicit(&crebind_reach_hooks, memory_order_relaxed) != 0};
  if (__builtin_expect(call.has_hooks, 0)) begin_beside_hooks(&call, counter);
  return call;
}

/// Whether the call that has returned counts. If a hook has answered it, it does not: it would not have
/// come here if the hook were above the counter.
static inline bool end_original_call(const original_call *call) {
  if (__builtin_expect(!call->has_hooks, 1)) return call->counts;
  crebind_reach_this_thread.callee = NULL;
  return call->counts && crebind_reach_this_thread.answered != call->original;
}

#define CALLER __builtin_return_address(0)
#define ORIGINAL(call, result, ...) ((result(*)(__VA_ARGS__))(call).original)

#endif
