/// The hooks, as the stubs see them.

#ifndef CREBIND_TESTING_HOOK_H
#define CREBIND_TESTING_HOOK_H

#define CREBIND_TESTING_HOOK_COUNT 512
#define CREBIND_TESTING_HOOK_SIZE 64
#define CREBIND_TESTING_HOOK_SCOPES 8

/// Where the stubs keep the registers of floating-point arguments: so many bytes behind the first one
/// of integers, 16 bytes each. The scopes that observe the call's end are behind them.
#if defined(__aarch64__)
#define CREBIND_TESTING_NUMBERS 80
#else
#define CREBIND_TESTING_NUMBERS 64
#endif
#define CREBIND_TESTING_OBSERVERS (CREBIND_TESTING_NUMBERS + 128)
#define CREBIND_TESTING_OBSERVERS_SIZE 80

/// So many bytes of arguments on the stack reach a call whose end is observed.
#define CREBIND_TESTING_STACK 512

#ifndef __ASSEMBLER__

#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

struct crebind_testing_hook {
  /// The stub jumps to it; stays when the slots are restored.
  void *_Nullable original;
  /// The number of scopes, of any reach; 0 sends calls on at once.
  _Atomic uint32_t scopes;
  /// How many calls are reading `process` just now.
  _Atomic uint32_t readers;
  /// The scopes that reach all calls, the youngest first.
  _Atomic(crebind_testing_scope *_Nullable) process;
  /// Where a call enters. Slots are pointed at the stub. A call that `crebind_testing_call_original` makes
  /// enters at `resume`, and goes on below the frame's scope.
  void *stub, *resume;
} __attribute__((aligned(CREBIND_TESTING_HOOK_SIZE)));

_Static_assert(sizeof(struct crebind_testing_hook) == CREBIND_TESTING_HOOK_SIZE,
               "the stubs count on it");
_Static_assert(offsetof(struct crebind_testing_hook, scopes) == CREBIND_TESTING_HOOK_SCOPES,
               "the stubs count on it");

/// All hooks, in place.
extern struct crebind_testing_hook crebind_testing_hooks[] __attribute__((visibility("hidden")));

#pragma clang assume_nonnull end

#endif
#endif
