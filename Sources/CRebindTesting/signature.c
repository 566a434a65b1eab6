#include "signature.h"

#include <stdlib.h>

static ffi_type *_Nullable scalar(crebind_testing_type type) {
  switch (type) {
  case CREBIND_TESTING_VOID: return &ffi_type_void;
  case CREBIND_TESTING_SINT8: return &ffi_type_sint8;
  case CREBIND_TESTING_UINT8: return &ffi_type_uint8;
  case CREBIND_TESTING_SINT16: return &ffi_type_sint16;
  case CREBIND_TESTING_UINT16: return &ffi_type_uint16;
  case CREBIND_TESTING_SINT32: return &ffi_type_sint32;
  case CREBIND_TESTING_UINT32: return &ffi_type_uint32;
  case CREBIND_TESTING_SINT64: return &ffi_type_sint64;
  case CREBIND_TESTING_UINT64: return &ffi_type_uint64;
  case CREBIND_TESTING_FLOAT: return &ffi_type_float;
  case CREBIND_TESTING_DOUBLE: return &ffi_type_double;
  case CREBIND_TESTING_POINTER: return &ffi_type_pointer;
  case CREBIND_TESTING_STRUCTURE:
  case CREBIND_TESTING_END: return NULL;
  }
  return NULL;
}

/// Reads types from an array; each takes at most one place of each list.
typedef struct reader {
  const crebind_testing_type *next, *end;
  ffi_type *structure;
  ffi_type **element;
} reader;

static ffi_type *_Nullable read_type(reader *reader);

/// Reads types until the end, or until a structure's end, into consecutive places.
static bool read_list(reader *reader, ffi_type **types, size_t *count) {
  *count = 0;
  while (reader->next < reader->end && *reader->next != CREBIND_TESTING_END) {
    types[*count] = read_type(reader);
    if (types[(*count)++] == NULL) return false;
  }
  return true;
}

static ffi_type *read_type(reader *reader) {
  crebind_testing_type type = *reader->next++;
  if (type != CREBIND_TESTING_STRUCTURE) return scalar(type);

  ffi_type *structure = reader->structure++;
  // Room for as many fields as types are left, and a NULL; nested structures take theirs from
  // behind it.
  size_t count;
  ffi_type **fields = reader->element;
  reader->element += reader->end - reader->next + 1;
  if (!read_list(reader, fields, &count) || reader->next == reader->end) return NULL;
  reader->next++;
  fields[count] = NULL;
  *structure = (ffi_type){.type = FFI_TYPE_STRUCT, .elements = fields};
  return structure;
}

bool crebind_testing_signature_init(crebind_testing_signature *signature,
                                    const crebind_testing_type *types, size_t length) {
  // Every structure has room for all types behind it.
  *signature = (crebind_testing_signature){
      .arguments = calloc(length + 1, sizeof(ffi_type *)),
      .structures = calloc(length + 1, sizeof(ffi_type)),
      .elements = calloc((length + 1) * (length + 1), sizeof(ffi_type *)),
  };
  if (signature->arguments == NULL || signature->structures == NULL || signature->elements == NULL)
    return false;
  reader reader = {types, types + length, signature->structures, signature->elements};
  ffi_type *result = length > 0 ? read_type(&reader) : NULL;
  return result != NULL && read_list(&reader, signature->arguments, &signature->argument_count)
         && reader.next == reader.end
         && ffi_prep_cif(&signature->cif, FFI_DEFAULT_ABI, (unsigned)signature->argument_count,
                         result, signature->arguments)
                == FFI_OK;
}

void crebind_testing_signature_destroy(crebind_testing_signature *signature) {
  free(signature->arguments);
  free(signature->structures);
  free(signature->elements);
}

crebind_testing_layout crebind_testing_layout_of(const crebind_testing_type *type, size_t length) {
  crebind_testing_signature signature;
  crebind_testing_layout layout = {0, 0};
  if (crebind_testing_signature_init(&signature, type, length) && signature.argument_count == 0)
    layout =
        (crebind_testing_layout){signature.cif.rtype->size, signature.cif.rtype->alignment};
  crebind_testing_signature_destroy(&signature);
  return layout;
}
