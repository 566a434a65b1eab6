/// Code that returns a constant structure, through libffi.

#if defined(__linux__)
#include "signature.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct constant {
  struct constant *_Nullable next;
  crebind_testing_signature signature;
  void *code;
  size_t length, size;
  /// The type, and behind it the structure's bytes.
  unsigned char contents[];
} constant;

static void invoke(crebind_ffi_cif *cif, void *result, void **arguments, void *context) {
  (void)cif, (void)arguments;
  const constant *self = context;
  memcpy(result, self->contents + self->length, self->size);
}

static constant *find(constant *list, const void *contents, size_t length, size_t size) {
  while (list != NULL
         && (list->length != length || list->size != size
             || memcmp(list->contents, contents, length + size) != 0))
    list = list->next;
  return list;
}

static constant *make(const unsigned char *contents, size_t length, size_t size) {
  constant *self = calloc(1, sizeof *self + length + size);
  if (self == NULL) return NULL;
  self->length = length;
  self->size = size;
  memcpy(self->contents, contents, length + size);
  // The signature needs libffi, too.
  const crebind_testing_libffi *libffi = crebind_testing_get_libffi();
  void *closure = NULL;
  if (crebind_testing_signature_init(&self->signature, self->contents, length)
      && (closure = libffi->ffi_closure_alloc(CREBIND_FFI_CLOSURE_SIZE, &self->code)) != NULL
      && libffi->ffi_prep_closure_loc(closure, &self->signature.cif, invoke, self, self->code) == 0)
    return self;
  crebind_testing_signature_destroy(&self->signature);
  if (closure != NULL) libffi->ffi_closure_free(closure);
  free(self);
  return NULL;
}

void *crebind_testing_structure_code(const crebind_testing_type *type, size_t length,
                                     const void *bytes, size_t size) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static constant *constants;
  unsigned char contents[length + size];
  memcpy(contents, type, length);
  memcpy(contents + length, bytes, size);
  pthread_mutex_lock(&lock);
  constant *found = find(constants, contents, length, size);
  if (found == NULL && (found = make(contents, length, size)) != NULL) {
    found->next = constants;
    constants = found;
  }
  pthread_mutex_unlock(&lock);
  return found != NULL ? found->code : NULL;
}
#endif
