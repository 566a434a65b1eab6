/// The hooks: what stands in the data of each stub.

#if defined(__linux__) && !defined(CREBIND_TESTING_HOOK_H)
#define CREBIND_TESTING_HOOK_H

#include "CRebindStubs.h"
#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

/// A scope on one of its hooks.
typedef struct crebind_testing_member {
  crebind_testing_scope *scope;
  crebind_testing_hook *hook;
  /// For a scope of the process, the next older one of the hook.
  _Atomic(struct crebind_testing_member *_Nullable) outer;
} crebind_testing_member;

struct crebind_testing_call;

/// Looks at a call.
typedef void crebind_testing_watch(const struct crebind_testing_call *call);

struct crebind_testing_hook {
  /// Its original stays when the slots are restored. It is asked for each scope, of any reach.
  crebind_stub stub;
  /// How many calls are reading `process` just now.
  _Atomic uint32_t readers;
  /// The scopes that reach all calls, the youngest first.
  _Atomic(crebind_testing_member *_Nullable) process;
  /// Looks at each call before it is decided on, whoever is reached.
  _Atomic(crebind_testing_watch *_Nullable) watch;
};

_Static_assert(sizeof(struct crebind_testing_hook) <= CREBIND_STUBS_SIZE, "a stub has no more room");

#pragma clang assume_nonnull end

#endif
