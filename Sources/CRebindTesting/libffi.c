#if defined(__linux__)
#include "libffi.h"

#include <stdatomic.h>

static crebind_testing_libffi functions;
static const crebind_testing_libffi *_Atomic ready;

void crebind_testing_use_libffi(void *ffi_prep_cif, void *ffi_call, void *ffi_closure_alloc,
                                void *ffi_closure_free, void *ffi_prep_closure_loc) {
  functions = (crebind_testing_libffi){
      .ffi_prep_cif = (__typeof__(functions.ffi_prep_cif))ffi_prep_cif,
      .ffi_call = (__typeof__(functions.ffi_call))ffi_call,
      .ffi_closure_alloc = (__typeof__(functions.ffi_closure_alloc))ffi_closure_alloc,
      .ffi_closure_free = (__typeof__(functions.ffi_closure_free))ffi_closure_free,
      .ffi_prep_closure_loc = (__typeof__(functions.ffi_prep_closure_loc))ffi_prep_closure_loc,
  };
  ready = &functions;
}

const crebind_testing_libffi *crebind_testing_get_libffi(void) { return ready; }
#endif
