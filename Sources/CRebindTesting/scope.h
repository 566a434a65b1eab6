/// The common part of all kinds of scope.

#ifndef CREBIND_TESTING_SCOPE_H
#define CREBIND_TESTING_SCOPE_H

#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

/// A call as it arrived at a stub.
typedef struct crebind_testing_call {
  /// The integer argument registers, in the order of the arguments.
  const uint64_t *registers;
  /// The return address.
  const void *caller;
} crebind_testing_call;

/// Decides on a call: returns the code to go to, with the registers as they are, or NULL to let the
/// call go on.
typedef void *_Nullable crebind_testing_decide(crebind_testing_scope *scope,
                                               const crebind_testing_call *call);

/// The first member of every kind of scope.
struct crebind_testing_scope {
  crebind_testing_hook *hook;
  crebind_testing_decide *decide;
  void (*_Nullable destroy)(crebind_testing_scope *scope);
  /// Scopes are numbered as they begin: the youngest has the greatest number.
  uint64_t serial;
  /// The next older scope of the same task, thread or hook.
  _Atomic(crebind_testing_scope *_Nullable) outer;
  /// The handlers of this scope that are running, for scopes of the process.
  _Atomic uint32_t calls;
  bool reaches_process;
  /// The code that `decide` gives keeps the thread's calls suppressed.
  bool is_handler;
  /// Calls that come from now on pass by.
  _Atomic bool ended;
};

/// A zeroed scope of `size` bytes; NULL if memory runs out.
void *_Nullable crebind_testing_scope_make(size_t size, crebind_testing_hook *hook,
                                           crebind_testing_decide *decide);

/// The youngest scope of this thread's task, or NULL.
crebind_testing_scope *_Nullable crebind_testing_task_scopes(void);

#pragma clang assume_nonnull end

#endif
