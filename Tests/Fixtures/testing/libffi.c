/// RebindTesting declares libffi's part as libffi's own header does, and a structure has the size and
/// alignment that the compiler gives it.

#include <libffi.c>
#include <signature.c>

#include "check.h"

#include <ffi.h>
#include <stddef.h>

#define SAME_FIELD(own, own_field, type, field)                                       \
  _Static_assert(offsetof(own, own_field) == offsetof(type, field)                    \
                     && sizeof((own){0}.own_field) == sizeof((type){0}.field),        \
                 "a field of " #type)

_Static_assert(sizeof(crebind_ffi_type) == sizeof(ffi_type), "ffi_type");
SAME_FIELD(crebind_ffi_type, size, ffi_type, size);
SAME_FIELD(crebind_ffi_type, alignment, ffi_type, alignment);
SAME_FIELD(crebind_ffi_type, type, ffi_type, type);
SAME_FIELD(crebind_ffi_type, elements, ffi_type, elements);

_Static_assert(sizeof(crebind_ffi_cif) == sizeof(ffi_cif), "ffi_cif");
SAME_FIELD(crebind_ffi_cif, abi, ffi_cif, abi);
SAME_FIELD(crebind_ffi_cif, nargs, ffi_cif, nargs);
SAME_FIELD(crebind_ffi_cif, arg_types, ffi_cif, arg_types);
SAME_FIELD(crebind_ffi_cif, rtype, ffi_cif, rtype);
SAME_FIELD(crebind_ffi_cif, bytes, ffi_cif, bytes);
SAME_FIELD(crebind_ffi_cif, flags, ffi_cif, flags);

_Static_assert(CREBIND_FFI_CLOSURE_SIZE >= sizeof(ffi_closure), "ffi_closure");
_Static_assert(CREBIND_FFI_DEFAULT_ABI == FFI_DEFAULT_ABI, "FFI_DEFAULT_ABI");
_Static_assert(FFI_OK == 0, "FFI_OK");
#define SAME_TYPE(name) _Static_assert(CREBIND_FFI_##name == FFI_TYPE_##name, "FFI_TYPE_" #name)
SAME_TYPE(VOID);
SAME_TYPE(FLOAT);
SAME_TYPE(DOUBLE);
SAME_TYPE(UINT8);
SAME_TYPE(SINT8);
SAME_TYPE(UINT16);
SAME_TYPE(SINT16);
SAME_TYPE(UINT32);
SAME_TYPE(SINT32);
SAME_TYPE(UINT64);
SAME_TYPE(SINT64);
SAME_TYPE(STRUCT);
SAME_TYPE(POINTER);

#define LAYOUT_IS(type, ...)                                                               \
  do {                                                                                     \
    const crebind_testing_type codes[] = {CREBIND_TESTING_STRUCTURE, __VA_ARGS__,          \
                                          CREBIND_TESTING_END};                            \
    crebind_testing_layout layout = crebind_testing_layout_of(codes, sizeof codes);        \
    CHECK(layout.size == sizeof(type) && layout.alignment == _Alignof(type));              \
  } while (0)

struct small {
  char a, b;
  short c;
};
struct mixed {
  char a;
  double b;
  short c;
};
struct nested {
  char a;
  struct mixed b;
  float c;
};

int main(void) {
  LAYOUT_IS(struct small, CREBIND_TESTING_SINT8, CREBIND_TESTING_SINT8, CREBIND_TESTING_SINT16);
  LAYOUT_IS(struct mixed, CREBIND_TESTING_SINT8, CREBIND_TESTING_DOUBLE, CREBIND_TESTING_SINT16);
  LAYOUT_IS(struct nested, CREBIND_TESTING_SINT8, CREBIND_TESTING_STRUCTURE, CREBIND_TESTING_SINT8,
            CREBIND_TESTING_DOUBLE, CREBIND_TESTING_SINT16, CREBIND_TESTING_END,
            CREBIND_TESTING_FLOAT);
  const crebind_testing_type word = CREBIND_TESTING_UINT32;
  crebind_testing_layout layout = crebind_testing_layout_of(&word, 1);
  CHECK(layout.size == 4 && layout.alignment == 4);
  CHECK(crebind_testing_get_libffi() == NULL);
  printf("as libffi has it\n");
  return 0;
}
