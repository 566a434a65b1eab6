/// A scope's life.

#include "scope.h"

#include <stdlib.h>

void *crebind_testing_scope_make(size_t size, crebind_testing_hook *hook,
                                 crebind_testing_decide *decide) {
  crebind_testing_scope *scope = calloc(1, size);
  if (scope == NULL) return NULL;
  scope->hook = hook;
  scope->decide = decide;
  return scope;
}

bool crebind_testing_is_busy(const crebind_testing_scope *scope) { return scope->calls != 0; }

void crebind_testing_free(crebind_testing_scope *scope) {
  if (scope->destroy != NULL) scope->destroy(scope);
  free(scope);
}
