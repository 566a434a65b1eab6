#if defined(__linux__)
#include "hook.h"
#include "select.h"

size_t crebind_testing_hook_limit(void) { return CREBIND_STUBS_COUNT; }

crebind_testing_hook *crebind_testing_hook_at(size_t index) {
  crebind_stubs_prepare(crebind_testing_select);
  return (crebind_testing_hook *)crebind_stubs_at(index);
}

void *crebind_testing_hook_stub(const crebind_testing_hook *hook) {
  return (void *)hook->stub.code;
}

void **crebind_testing_hook_original(crebind_testing_hook *hook) { return &hook->stub.original; }
#endif
