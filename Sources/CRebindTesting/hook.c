#include "hook.h"

__attribute__((visibility("hidden")))
struct crebind_testing_hook crebind_testing_hooks[CREBIND_TESTING_HOOK_COUNT];

size_t crebind_testing_hook_limit(void) { return CREBIND_TESTING_HOOK_COUNT; }

void *crebind_testing_hook_stub(const crebind_testing_hook *hook) { return hook->stub; }

void **crebind_testing_hook_original(crebind_testing_hook *hook) { return &hook->original; }
