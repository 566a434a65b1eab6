#include "hook.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "RebindTesting has stubs for x86-64 and AArch64 only"
#endif

/// The stubs' code, one of `stubs-*.S` (16 bytes a stub).
typedef struct stub {
  char code[16];
} stub;

extern const stub crebind_testing_stubs[] __attribute__((visibility("hidden")));
extern const stub crebind_testing_resume_stubs[] __attribute__((visibility("hidden")));

__attribute__((visibility("hidden")))
struct crebind_testing_hook crebind_testing_hooks[CREBIND_TESTING_HOOK_COUNT];

size_t crebind_testing_hook_limit(void) { return CREBIND_TESTING_HOOK_COUNT; }

crebind_testing_hook *crebind_testing_hook_at(size_t index) {
  return &crebind_testing_hooks[index];
}

void *crebind_testing_hook_stub(const crebind_testing_hook *hook) {
  return (void *)crebind_testing_stubs[hook - crebind_testing_hooks].code;
}

void *crebind_testing_hook_resume(const crebind_testing_hook *hook) {
  return (void *)crebind_testing_resume_stubs[hook - crebind_testing_hooks].code;
}

void **crebind_testing_hook_original(crebind_testing_hook *hook) { return &hook->original; }
