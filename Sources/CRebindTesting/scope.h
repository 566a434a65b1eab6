/// The common part of all kinds of scope.

#if defined(__linux__) && !defined(CREBIND_TESTING_SCOPE_H)
#define CREBIND_TESTING_SCOPE_H

#include "hook.h"
#include "runtime-images.h"

#pragma clang assume_nonnull begin

/// A call as it arrived at a stub.
typedef struct crebind_testing_call {
  crebind_testing_hook *hook;
  /// The integer argument registers, in the order of the arguments. Whatever the call goes to
  /// finds them as they are left.
  uint64_t *registers;
  /// The return address, and its place on the stack.
  const void *caller;
  const void *_Nonnull *_Nonnull return_address;
  /// NULL until a scope observes the call's end.
  crebind_stubs_pending *_Nullable *_Nonnull pending;
} crebind_testing_call;

/// Decides on a call: returns the code to go to, with the registers as they are, or NULL to let the
/// call go on.
typedef void *_Nullable crebind_testing_decide(crebind_testing_scope *scope,
                                               const crebind_testing_call *call);

/// The counts of a scope's calls.
typedef enum crebind_testing_count_kind {
  CREBIND_TESTING_REACHED,
  CREBIND_TESTING_STRUCK,
  CREBIND_TESTING_SPARED,
} crebind_testing_count_kind;

/// Threads count in different places, as far as these go, and do not wait for each other.
#define CREBIND_TESTING_SHARDS 8
typedef struct crebind_testing_shard {
  _Atomic uint64_t counts[3];
  uint64_t padding[5];
} crebind_testing_shard;

/// The first member of every kind of scope.
struct crebind_testing_scope {
  /// The hooks that it is on, and a bit for each, by its index: lists of scopes have many that are on others.
  crebind_testing_member *members;
  size_t member_count;
  uint64_t hooks[CREBIND_STUBS_COUNT / 64];
  crebind_testing_decide *decide;
  void (*_Nullable destroy)(crebind_testing_scope *scope);
  /// For scopes that observe the end of calls.
  void (*_Nullable observe)(crebind_testing_scope *scope, uint64_t number,
                            const crebind_testing_outcome *outcome);
  /// Scopes are numbered as they begin: the youngest has the greatest number.
  uint64_t serial;
  /// The next older scope of the same task or thread.
  _Atomic(crebind_testing_scope *_Nullable) outer;
  /// The calls that this scope handles or observes just now, for scopes of the process.
  _Atomic uint32_t calls;
  bool reaches_process;
  /// Told each call of a Swift task that is struck, for scopes of the process.
  void (*_Nullable meet)(void *context);
  void *_Nullable meeting;
  /// The code that `decide` gives keeps the thread's calls suppressed.
  bool is_handler;
  /// For a scope of C functions, one for each member, and whether a call is for its function; NULL: each is.
  void *_Nonnull const *_Nullable functions;
  bool (*_Nullable is_answered)(crebind_testing_scope *scope, const crebind_testing_call *call,
                                size_t member);
  /// Told each new task or block of a task or block in reach, by the thread that makes it.
  void (*_Nullable adopt)(crebind_testing_scope *scope, uint64_t creator, uint64_t number);
  /// Calls that come from now on pass by.
  _Atomic bool ended;
  /// Calls of these images pass by.
  const crebind_reach_code *_Nullable spared;
  /// The calls that had arrived at the hooks when the scope began, and when it ended.
  uint64_t arrivals_before, arrivals_after;
  crebind_testing_shard shards[CREBIND_TESTING_SHARDS];
};

/// Counts a call of this thread that fails, that a handler is called for, or that is recorded, and tells whom the
/// scope has met.
void crebind_testing_strike(crebind_testing_scope *scope, const crebind_testing_call *call);

/// Tells, for a scope of the process, that a call of this thread was met.
void crebind_testing_meet(const crebind_testing_scope *scope, const void *caller);

/// Counts a call of this thread.
void crebind_testing_count(crebind_testing_scope *scope, crebind_testing_count_kind kind);

/// The place of a call's hook among the scope's members.
static inline size_t crebind_testing_member_of(const crebind_testing_scope *scope,
                                               const crebind_testing_call *call) {
  size_t i = 0;
  while (scope->members[i].hook != call->hook) i++;
  return i;
}

/// Whether a scope is on a hook.
static inline bool crebind_testing_is_on(const crebind_testing_scope *scope, size_t hook) {
  return (scope->hooks[hook / 64] & 1ull << hook % 64) != 0;
}

/// A zeroed scope of `size` bytes; NULL if memory runs out.
void *_Nullable crebind_testing_scope_make(size_t size,
                                           crebind_testing_hook *_Nonnull const *_Nonnull hooks,
                                           size_t count, crebind_testing_decide *decide);

/// The youngest scope of this thread's task, or NULL.
crebind_testing_scope *_Nullable crebind_testing_task_scopes(void);

/// Has scopes be told new tasks and blocks from now on.
void crebind_testing_follow_tasks(void);

#pragma clang assume_nonnull end

#endif
