/// C function types as libffi wants them.

#if defined(__linux__) && !defined(CREBIND_TESTING_SIGNATURE_H)
#define CREBIND_TESTING_SIGNATURE_H

#include "libffi.h"

#pragma clang assume_nonnull begin

/// A function type. Points into itself: it stays where it was made.
typedef struct crebind_testing_signature {
  crebind_ffi_cif cif;
  size_t argument_count;
  /// The arguments' types.
  crebind_ffi_type *_Nullable *_Nonnull arguments;
  /// Structures, and the lists of their fields.
  crebind_ffi_type *structures;
  crebind_ffi_type *_Nullable *_Nonnull elements;
} crebind_testing_signature;

/// False if memory runs out, or if libffi is not there or does not know the types.
bool crebind_testing_signature_init(crebind_testing_signature *signature,
                                    const crebind_testing_type *types, size_t length);
void crebind_testing_signature_destroy(crebind_testing_signature *signature);

#pragma clang assume_nonnull end

#endif
