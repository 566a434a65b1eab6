/// Scopes that make calls fail, without a closure: the stub goes on to a function
/// that returns the value, whatever the arguments are.

#if defined(__linux__)
#include "condition.h"
#include "runtime-images.h"
#include "scatter.h"
#include "scope.h"
#include "thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct fault_scope {
  crebind_testing_scope scope;
  crebind_testing_fault fault;
  /// The calls that fulfil the conditions, and those of them that were struck.
  _Atomic uint64_t calls, strikes;
  crebind_reach_code spared;
  crebind_testing_place *_Nullable places;
} fault_scope;

static const crebind_testing_result *this_result(void) {
  const crebind_testing_result *result = &crebind_testing_this_thread.result;
  if (result->error != 0) errno = result->error;
  return result;
}

static uint64_t return_word(void) { return this_result()->word; }

/// A float is in the lower half of the register.
static double return_number(void) {
  double number;
  memcpy(&number, &this_result()->word, sizeof number);
  return number;
}

static void close_descriptor(int descriptor) {
  int error = errno;
  syscall(SYS_close, descriptor);
  errno = error;
}

static bool strikes(const crebind_testing_fault *fault, uint64_t call) {
  if (call < fault->first || call > fault->last) return false;
  if ((call - fault->first) % fault->every != 0) return false;
  return fault->chance == UINT64_MAX || crebind_testing_scatter(fault->seed, call) < fault->chance;
}

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  fault_scope *self = (fault_scope *)scope;
  const crebind_testing_fault *fault = &self->fault;
  if (!crebind_testing_fulfils(fault->conditions, self->places, fault->condition_count, call))
    return NULL;
  uint64_t number = ++self->calls;
  if (!strikes(fault, number)) return NULL;
  crebind_testing_strike(scope, call);
  uint64_t strike = self->strikes++;
  const crebind_testing_result *result =
      &fault->results[strike < fault->result_count ? strike : fault->result_count - 1];
  crebind_testing_thread *thread = &crebind_testing_this_thread;
  thread->delay += fault->delay;
  switch (result->kind) {
  case CREBIND_TESTING_RETURN_ORIGINAL: return NULL;
  case CREBIND_TESTING_RETURN_SHORT:
    if (call->registers[result->index] > result->word)
      call->registers[result->index] = result->word;
    return NULL;
  case CREBIND_TESTING_RETURN_STRUCTURE:
    if (result->error != 0) errno = result->error;
    return result->code;
  case CREBIND_TESTING_RETURN_NUMBER: thread->result = *result; return (void *)return_number;
  case CREBIND_TESTING_RETURN_WORD: break;
  }
  if (fault->closes) close_descriptor((int)call->registers[0]);
  thread->result = *result;
  return (void *)return_word;
}

static void destroy(crebind_testing_scope *scope) {
  fault_scope *self = (fault_scope *)scope;
  for (size_t i = 0; i < self->fault.condition_count; i++)
    free((char *)self->fault.conditions[i].text);
  free((void *)self->fault.conditions);
  free((void *)self->fault.results);
  free(self->places);
}

/// Copies the arrays of the fault; false if memory runs out.
static bool keep(fault_scope *scope, crebind_testing_fault fault) {
  scope->fault = fault;
  scope->fault.condition_count = 0;
  crebind_testing_result *results = calloc(fault.result_count, sizeof *results);
  crebind_testing_condition *conditions = calloc(fault.condition_count + 1, sizeof *conditions);
  scope->fault.results = results;
  scope->fault.conditions = conditions;
  scope->places = calloc(fault.condition_count + 1, sizeof *scope->places);
  if (results == NULL || conditions == NULL || scope->places == NULL) return false;
  memcpy(results, fault.results, fault.result_count * sizeof *results);
  for (size_t i = 0; i < fault.condition_count; i++) {
    conditions[i] = fault.conditions[i];
    if (fault.conditions[i].text != NULL) {
      conditions[i].text = strdup(fault.conditions[i].text);
      if (conditions[i].text == NULL) return false;
    }
    crebind_testing_find_place(&conditions[i], &scope->places[i]);
    scope->fault.condition_count++;
  }
  return true;
}

crebind_testing_scope *crebind_testing_fault_scope(crebind_testing_hook *hook,
                                                   crebind_testing_fault fault,
                                                   bool spares_libraries) {
  fault_scope *scope = crebind_testing_scope_make(sizeof *scope, &hook, 1, decide);
  if (scope == NULL) return NULL;
  scope->scope.destroy = destroy;
  if (!keep(scope, fault)) {
    crebind_testing_free(&scope->scope);
    return NULL;
  }
  crebind_testing_find_libraries(&scope->spared, spares_libraries ? CREBIND_TESTING_BUILT_ON_RUNTIME
                                                                  : CREBIND_TESTING_RUNTIME);
  scope->scope.spared = &scope->spared;
  return &scope->scope;
}

void crebind_testing_fault_reset(crebind_testing_scope *scope, uint64_t first, uint64_t last) {
  fault_scope *self = (fault_scope *)scope;
  self->fault.first = first;
  self->fault.last = last;
  self->calls = 0;
  self->strikes = 0;
}

uint64_t crebind_testing_fault_calls(const crebind_testing_scope *scope) {
  return ((const fault_scope *)scope)->calls;
}
#endif
