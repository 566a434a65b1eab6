/// The part of libffi that handlers need, as ffi.h declares it from version 3 on. The library is opened at
/// run time, so that nothing has to be installed to build; a test compares this with ffi.h.

#if defined(__linux__) && !defined(CREBIND_TESTING_LIBFFI_H)
#define CREBIND_TESTING_LIBFFI_H

#include "CRebindTesting.h"

#pragma clang assume_nonnull begin

/// `ffi_type`.
typedef struct crebind_ffi_type {
  size_t size;
  unsigned short alignment, type;
  struct crebind_ffi_type *_Nullable *_Nullable elements;
} crebind_ffi_type;

/// `ffi_type.type`: `FFI_TYPE_*`.
enum {
  CREBIND_FFI_VOID = 0,
  CREBIND_FFI_FLOAT = 2,
  CREBIND_FFI_DOUBLE = 3,
  CREBIND_FFI_UINT8 = 5,
  CREBIND_FFI_SINT8 = 6,
  CREBIND_FFI_UINT16 = 7,
  CREBIND_FFI_SINT16 = 8,
  CREBIND_FFI_UINT32 = 9,
  CREBIND_FFI_SINT32 = 10,
  CREBIND_FFI_UINT64 = 11,
  CREBIND_FFI_SINT64 = 12,
  CREBIND_FFI_STRUCT = 13,
  CREBIND_FFI_POINTER = 14,
};

/// `FFI_DEFAULT_ABI` of Linux, `FFI_UNIX64` or `FFI_SYSV`.
#if defined(__x86_64__)
#define CREBIND_FFI_DEFAULT_ABI 2
#else
#define CREBIND_FFI_DEFAULT_ABI 1
#endif

/// `ffi_cif`.
typedef struct crebind_ffi_cif {
  int abi;
  unsigned nargs;
  crebind_ffi_type *_Nullable *_Nullable arg_types;
  crebind_ffi_type *rtype;
  unsigned bytes, flags;
} crebind_ffi_cif;

/// More than `ffi_closure` has.
#define CREBIND_FFI_CLOSURE_SIZE 128

/// libffi's functions, under its own names. A function that returns an int gives 0, `FFI_OK`, on
/// success.
typedef struct crebind_testing_libffi {
  int (*ffi_prep_cif)(crebind_ffi_cif *cif, int abi, unsigned argument_count,
                      crebind_ffi_type *result,
                      crebind_ffi_type *_Nullable *_Nullable arguments);
  void (*ffi_call)(crebind_ffi_cif *cif, void (*function)(void), void *_Nullable result,
                   void *_Nonnull *_Nonnull arguments);
  void *_Nullable (*_Nonnull ffi_closure_alloc)(size_t size, void *_Nullable *_Nonnull code);
  void (*ffi_closure_free)(void *closure);
  int (*ffi_prep_closure_loc)(void *closure, crebind_ffi_cif *cif,
                              void (*function)(crebind_ffi_cif *cif, void *result,
                                               void *_Nonnull *_Nonnull arguments, void *context),
                              void *context, void *code);
} crebind_testing_libffi;

/// NULL until `crebind_testing_use_libffi` has been called.
const crebind_testing_libffi *_Nullable crebind_testing_get_libffi(void);

#pragma clang assume_nonnull end

#endif
