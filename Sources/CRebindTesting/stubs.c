/// Hands a hook the addresses of its stubs, so that nothing below them has to know where they are.

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

crebind_testing_hook *crebind_testing_hook_at(size_t index) {
  crebind_testing_hook *hook = &crebind_testing_hooks[index];
  hook->stub = (void *)crebind_testing_stubs[index].code;
  hook->resume = (void *)crebind_testing_resume_stubs[index].code;
  return hook;
}
