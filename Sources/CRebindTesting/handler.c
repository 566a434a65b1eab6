/// Scopes that call a Swift closure through libffi.

#if defined(__linux__)
#include "hook.h"
#include "scope.h"
#include "signature.h"
#include "thread.h"

typedef struct handler_scope {
  crebind_testing_scope scope;
  crebind_testing_signature signature;
  /// The arguments at the end that the handler has not stated.
  size_t rest;
  void *closure;
  void *code;
  crebind_testing_handler *handler;
  void *context;
} handler_scope;

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  crebind_testing_strike(scope, call);
  return ((handler_scope *)scope)->code;
}

/// libffi calls this, on the thread whose calls `crebind_testing_select` suppressed.
static void invoke(crebind_ffi_cif *cif, void *result, void **arguments, void *context) {
  (void)cif;
  handler_scope *scope = context;
  crebind_testing_handled *_Nullable *handled = &crebind_testing_this_thread.handled;
  crebind_testing_handled call = {&scope->scope, arguments, *handled};
  *handled = &call;
  scope->handler(scope->context, result, arguments);
  *handled = call.previous;
  crebind_reach_this_thread.suppressed = 0;
  if (scope->scope.reaches_process) scope->scope.calls--;
}

/// The arguments of the call that this thread handles for a scope; NULL without one.
static void *_Nonnull const *_Nullable handled_arguments(const crebind_testing_scope *scope) {
  const crebind_testing_handled *call = crebind_testing_this_thread.handled;
  while (call != NULL && call->scope != scope) call = call->previous;
  return call != NULL ? call->arguments : NULL;
}

void crebind_testing_call_original(crebind_testing_scope *scope, void *result, void *arguments) {
  crebind_testing_signature *signature = &((handler_scope *)scope)->signature;
  void *pointers[signature->argument_count + 1];
  size_t stated = signature->argument_count - ((handler_scope *)scope)->rest;
  for (size_t i = 0; i < stated; i++)
    pointers[i] = (char *)arguments + i * CREBIND_TESTING_SLOT_SIZE;
  uint64_t nothing = 0;
  void *const *handled = stated < signature->argument_count ? handled_arguments(scope) : NULL;
  for (size_t i = stated; i < signature->argument_count; i++)
    pointers[i] = handled != NULL ? handled[i] : &nothing;

  crebind_testing_thread *thread = &crebind_testing_this_thread;
  const crebind_testing_hook *hook = scope->members[0].hook;
  crebind_testing_frame frame = {hook, scope->serial, thread->frame};
  uint32_t suppressed = crebind_reach_this_thread.suppressed;
  thread->frame = &frame;
  crebind_reach_this_thread.suppressed = 0;
  crebind_testing_get_libffi()->ffi_call(
      &signature->cif, (void (*)(void))hook->stub.resuming_code, result, pointers);
  crebind_reach_this_thread.suppressed = suppressed;
  thread->frame = frame.previous;
}

static void destroy(crebind_testing_scope *scope) {
  handler_scope *handler = (handler_scope *)scope;
  crebind_testing_signature_destroy(&handler->signature);
  if (handler->closure != NULL) crebind_testing_get_libffi()->ffi_closure_free(handler->closure);
}

crebind_testing_scope *crebind_testing_handler_scope(crebind_testing_hook *hook,
                                                     const crebind_testing_type *types,
                                                     size_t length, size_t rest,
                                                     crebind_testing_handler *handler,
                                                     void *context) {
  handler_scope *scope = crebind_testing_scope_make(sizeof *scope, &hook, 1, decide);
  if (scope == NULL) return NULL;
  scope->scope.destroy = destroy;
  scope->scope.is_handler = true;
  scope->rest = rest;
  scope->handler = handler;
  scope->context = context;
  // The signature needs libffi, too.
  const crebind_testing_libffi *libffi = crebind_testing_get_libffi();
  if (crebind_testing_signature_init(&scope->signature, types, length)
      && (scope->closure = libffi->ffi_closure_alloc(CREBIND_FFI_CLOSURE_SIZE, &scope->code)) != NULL
      && libffi->ffi_prep_closure_loc(scope->closure, &scope->signature.cif, invoke, scope,
                                      scope->code)
             == 0)
    return &scope->scope;
  crebind_testing_free(&scope->scope);
  return NULL;
}
#endif
