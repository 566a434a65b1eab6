#if defined(__linux__)
#include "signature.h"

#include <stdlib.h>

// libffi has the same, as variables.
#define SCALAR(size, kind) {size, size, kind, NULL}
static crebind_ffi_type scalars[] = {
    [CREBIND_TESTING_VOID] = SCALAR(1, CREBIND_FFI_VOID),
    [CREBIND_TESTING_SINT8] = SCALAR(1, CREBIND_FFI_SINT8),
    [CREBIND_TESTING_UINT8] = SCALAR(1, CREBIND_FFI_UINT8),
    [CREBIND_TESTING_SINT16] = SCALAR(2, CREBIND_FFI_SINT16),
    [CREBIND_TESTING_UINT16] = SCALAR(2, CREBIND_FFI_UINT16),
    [CREBIND_TESTING_SINT32] = SCALAR(4, CREBIND_FFI_SINT32),
    [CREBIND_TESTING_UINT32] = SCALAR(4, CREBIND_FFI_UINT32),
    [CREBIND_TESTING_SINT64] = SCALAR(8, CREBIND_FFI_SINT64),
    [CREBIND_TESTING_UINT64] = SCALAR(8, CREBIND_FFI_UINT64),
    [CREBIND_TESTING_FLOAT] = SCALAR(4, CREBIND_FFI_FLOAT),
    [CREBIND_TESTING_DOUBLE] = SCALAR(8, CREBIND_FFI_DOUBLE),
    [CREBIND_TESTING_POINTER] = SCALAR(8, CREBIND_FFI_POINTER),
};

static crebind_ffi_type *_Nullable scalar(crebind_testing_type type) {
  return type <= CREBIND_TESTING_POINTER ? &scalars[type] : NULL;
}

/// Reads types from an array; each takes at most one place of each list.
typedef struct reader {
  const crebind_testing_type *next, *end;
  crebind_ffi_type *structure;
  crebind_ffi_type **element;
} reader;

static crebind_ffi_type *_Nullable read_type(reader *reader);

/// Reads types until the end, or until a structure's end, into consecutive places.
static bool read_list(reader *reader, crebind_ffi_type **types, size_t *count) {
  *count = 0;
  while (reader->next < reader->end && *reader->next != CREBIND_TESTING_END) {
    types[*count] = read_type(reader);
    if (types[(*count)++] == NULL) return false;
  }
  return true;
}

/// Gives a structure the size and alignment that C gives it. libffi would do the same.
static void lay_out(crebind_ffi_type *structure) {
  size_t size = 0, alignment = 1;
  for (crebind_ffi_type **field = structure->elements; *field != NULL; field++) {
    size_t of_field = (*field)->alignment;
    size = (size + of_field - 1) / of_field * of_field + (*field)->size;
    if (of_field > alignment) alignment = of_field;
  }
  structure->size = (size + alignment - 1) / alignment * alignment;
  structure->alignment = (unsigned short)alignment;
}

static crebind_ffi_type *read_type(reader *reader) {
  crebind_testing_type type = *reader->next++;
  if (type != CREBIND_TESTING_STRUCTURE) return scalar(type);

  crebind_ffi_type *structure = reader->structure++;
  // Room for as many fields as types are left, and a NULL; nested structures take theirs from
  // behind it.
  size_t count;
  crebind_ffi_type **fields = reader->element;
  reader->element += reader->end - reader->next + 1;
  if (!read_list(reader, fields, &count) || reader->next == reader->end) return NULL;
  reader->next++;
  fields[count] = NULL;
  *structure = (crebind_ffi_type){.type = CREBIND_FFI_STRUCT, .elements = fields};
  lay_out(structure);
  return structure;
}

/// Reads the types. The result is NULL if they are none, or if memory runs out.
static crebind_ffi_type *_Nullable read_signature(crebind_testing_signature *signature,
                                                  const crebind_testing_type *types,
                                                  size_t length) {
  // Every structure has room for all types behind it.
  *signature = (crebind_testing_signature){
      .arguments = calloc(length + 1, sizeof(crebind_ffi_type *)),
      .structures = calloc(length + 1, sizeof(crebind_ffi_type)),
      .elements = calloc((length + 1) * (length + 1), sizeof(crebind_ffi_type *)),
  };
  if (signature->arguments == NULL || signature->structures == NULL || signature->elements == NULL)
    return NULL;
  reader reader = {types, types + length, signature->structures, signature->elements};
  crebind_ffi_type *result = length > 0 ? read_type(&reader) : NULL;
  bool is_whole = result != NULL
                  && read_list(&reader, signature->arguments, &signature->argument_count)
                  && reader.next == reader.end;
  return is_whole ? result : NULL;
}

bool crebind_testing_signature_init(crebind_testing_signature *signature,
                                    const crebind_testing_type *types, size_t length) {
  crebind_ffi_type *result = read_signature(signature, types, length);
  const crebind_testing_libffi *libffi = crebind_testing_get_libffi();
  return result != NULL && libffi != NULL
         && libffi->ffi_prep_cif(&signature->cif, CREBIND_FFI_DEFAULT_ABI,
                                 (unsigned)signature->argument_count, result,
                                 signature->arguments)
                == 0;
}

void crebind_testing_signature_destroy(crebind_testing_signature *signature) {
  free(signature->arguments);
  free(signature->structures);
  free(signature->elements);
}

crebind_testing_layout crebind_testing_layout_of(const crebind_testing_type *type, size_t length) {
  crebind_testing_signature signature;
  crebind_ffi_type *result = read_signature(&signature, type, length);
  crebind_testing_layout layout = {0, 0};
  if (result != NULL && signature.argument_count == 0)
    layout = (crebind_testing_layout){result->size, result->alignment};
  crebind_testing_signature_destroy(&signature);
  return layout;
}
#endif
