/// Scopes whose calls are answered by C functions of the hooks' own signatures.

#if defined(__linux__) && !defined(CREBIND_TESTING_FUNCTION_H)
#define CREBIND_TESTING_FUNCTION_H

#include "scope.h"
#include "thread.h"

#pragma clang assume_nonnull begin

/// A call that a function answers, from the function's first statement to its last. The thread's calls are
/// suppressed meanwhile.
typedef struct crebind_testing_answer {
  crebind_testing_scope *scope;
  const crebind_testing_hook *hook;
  const void *caller;
  crebind_testing_frame frame;
} crebind_testing_answer;

/// The functions stand in the order of the hooks, and stay for good.
void *_Nullable crebind_testing_function_scope_make(
    size_t size, crebind_testing_hook *_Nonnull const *_Nonnull hooks,
    void *_Nonnull const *_Nonnull functions, size_t count);

/// To be called by a function first, and last.
void crebind_testing_begin_answer(crebind_testing_answer *answer);
void crebind_testing_end_answer(const crebind_testing_answer *answer);

/// Gives the code that the call would have reached without the scope. The function may call it before it ends this.
void *crebind_testing_begin_original(crebind_testing_answer *answer);
void crebind_testing_end_original(const crebind_testing_answer *answer);

#pragma clang assume_nonnull end

#endif
