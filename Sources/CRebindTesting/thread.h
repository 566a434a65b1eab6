/// The state of a thread that the stubs use.

#if defined(__linux__) && !defined(CREBIND_TESTING_THREAD_H)
#define CREBIND_TESTING_THREAD_H

#include "CRebindReach.h"
#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

/// An original that a handler of this thread is calling.
typedef struct crebind_testing_frame {
  const crebind_testing_hook *hook;
  /// The handler's scope: the call goes on to older ones.
  uint64_t serial;
  struct crebind_testing_frame *_Nullable previous;
} crebind_testing_frame;

/// A call that a handler of this thread is given.
typedef struct crebind_testing_handled {
  const crebind_testing_scope *scope;
  void *_Nonnull const *_Nonnull arguments;
  struct crebind_testing_handled *_Nullable previous;
} crebind_testing_handled;

/// A call of this thread that may block, and its end.
typedef struct crebind_testing_blocked {
  /// The place of its return address; NULL once it has ended.
  const void *_Nonnull *_Nullable place;
  const crebind_testing_hook *_Nullable hook;
  /// The thread's job that has made it.
  uint32_t job_number;
  const void *_Nullable caller;
  /// The time when it began, and how long it took, in nanoseconds.
  uint64_t start, duration;
  /// How often the thread had slept.
  long switches;
} crebind_testing_blocked;

typedef struct crebind_testing_thread {
  /// The innermost one.
  crebind_testing_frame *_Nullable frame;
  crebind_testing_handled *_Nullable handled;
  /// The scopes that reach this thread, the youngest first.
  crebind_testing_scope *_Nullable scopes;
  /// The call that a scope of C functions has chosen a function for, until that begins.
  crebind_testing_scope *_Nullable answering;
  const crebind_testing_hook *_Nullable answered_hook;
  const void *_Nullable answered_caller;
  /// The result of the function that a stub goes on to for a fault.
  crebind_testing_result result;
  /// How long the call that is being decided on waits, in nanoseconds.
  uint64_t delay;
  struct crebind_testing_counters *_Nullable counters;
  /// The outermost one.
  crebind_testing_blocked blocked;
  /// Calls may be those of a child that shares this process's memory.
  bool has_forked;
} crebind_testing_thread;

/// In the static TLS block, because the first access to dynamic TLS allocates, and
/// malloc may be the function that is rebound.
extern __thread crebind_testing_thread crebind_testing_this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#pragma clang assume_nonnull end

#endif
