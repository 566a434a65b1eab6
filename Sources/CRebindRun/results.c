/// Calls that fail, by their errors.

#if defined(__linux__)
#define _GNU_SOURCE

#include "run.h"

#include <errno.h>
#include <stdio.h>

/// The error of a result; 0 for none, and -1 for a failure that says nothing else.
static int error_of(const crebind_run_function *known, int64_t result, int before) {
  if (known != NULL && known->returns_error) return (int)result;
  if (known != NULL && known->is_null) return result != 0 ? 0 : known->error != 0 || errno != before ? errno : -1;
  bool is_failure = result == -1 || (uint32_t)result == UINT32_MAX;
  // Functions that are not known may have any number as their result.
  return is_failure && errno != 0 && (known != NULL || errno != before) ? errno : 0;
}

static void ended(crebind_stubs_pending *pending, uint64_t *results) {
  int after = errno;
  const crebind_run_stub *stub = (const crebind_run_stub *)(uintptr_t)pending->data[0];
  int error = error_of(crebind_run_function_at(stub->known), (int64_t)results[0], (int)pending->data[2]);
  if (error != 0) {
    char name[8192];
    snprintf(name, sizeof name, "%s\n%d", crebind_run_file + stub->function + 1, error);
    crebind_run_add_from((const void *)(uintptr_t)pending->data[1],
                         crebind_run_name(CREBIND_RUN_FUNCTION, name));
  }
  errno = after;
}

void crebind_run_await(crebind_run_stub *stub, const void **return_address) {
  const void *caller = crebind_stubs_caller(*return_address);
  int error = errno;
  crebind_stubs_pending *pending = crebind_stubs_await(return_address, ended);
  if (pending == NULL) {
    __atomic_fetch_add(&crebind_run_shared()->unseen_ends, 1, __ATOMIC_RELAXED);
    return;
  }
  pending->data[0] = (uintptr_t)stub;
  pending->data[1] = (uintptr_t)caller;
  pending->data[2] = (uint64_t)error;
}
#endif
