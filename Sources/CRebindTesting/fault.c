/// Scopes that make calls fail, without a closure: the stub goes on to a function
/// that returns the value, whatever the arguments are.

#include "runtime-images.h"
#include "scope.h"
#include "thread.h"

#include <errno.h>

typedef struct fault_scope {
  crebind_testing_scope scope;
  crebind_testing_fault fault;
  _Atomic uint64_t calls;
  crebind_testing_images spared;
} fault_scope;

static const crebind_testing_fault *this_fault(void) {
  const crebind_testing_fault *fault = &crebind_testing_this_thread.fault;
  if (fault->error != 0) errno = fault->error;
  return fault;
}

static uint64_t return_word(void) { return this_fault()->word; }

static double return_number(void) { return this_fault()->number; }

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  fault_scope *self = (fault_scope *)scope;
  if (crebind_testing_images_contain(&self->spared, call->caller)) return NULL;
  uint64_t number = ++self->calls;
  if (number < self->fault.first || number > self->fault.last) return NULL;
  crebind_testing_this_thread.fault = self->fault;
  return self->fault.returns_number ? (void *)return_number : (void *)return_word;
}

crebind_testing_scope *crebind_testing_fault_scope(crebind_testing_hook *hook,
                                                   crebind_testing_fault fault,
                                                   bool spares_libraries) {
  fault_scope *scope = crebind_testing_scope_make(sizeof *scope, hook, decide);
  if (scope == NULL) return NULL;
  scope->fault = fault;
  crebind_testing_find_runtime(&scope->spared, spares_libraries);
  return &scope->scope;
}

void crebind_testing_fault_reset(crebind_testing_scope *scope, uint64_t first, uint64_t last) {
  fault_scope *self = (fault_scope *)scope;
  self->fault.first = first;
  self->fault.last = last;
  self->calls = 0;
}

uint64_t crebind_testing_fault_calls(const crebind_testing_scope *scope) {
  return ((const fault_scope *)scope)->calls;
}
