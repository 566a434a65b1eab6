/// fishhook's two functions, on top of batches.

#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/snapshot.h"
#include "runtime/lock.h"

#include <errno.h>

/// fishhook's clients read `errno`.
static int errno_of(crebind_status status, const crebind_error *error) {
  switch (status) {
  case CREBIND_OK: return 0;
  case CREBIND_INVALID_ARGUMENT:
  case CREBIND_EMPTY_NAME:
  case CREBIND_DUPLICATE_NAME:
  case CREBIND_NO_SUCH_IMAGE: return EINVAL;
  case CREBIND_STATIC_EXECUTABLE: return ENOTSUP;
  case CREBIND_BROKEN_IMAGE: return ENOEXEC;
  case CREBIND_OUT_OF_MEMORY: return ENOMEM;
  case CREBIND_PROTECTION:
  case CREBIND_SEALED:
  case CREBIND_LEFT_OPEN:
  case CREBIND_NOT_TAKEN_BACK: return error->system_error;
  case CREBIND_BUSY: return EAGAIN;
  case CREBIND_NO_SECTION:
  case CREBIND_SECTION_NOT_LOADED:
  case CREBIND_NO_FILE:
  case CREBIND_OTHER_FILE:
  case CREBIND_NO_SECTION_HEADERS:
  case CREBIND_BROKEN_FILE:
  case CREBIND_COVERED:
  case CREBIND_PREDICATE_RUNS:
  case CREBIND_UNDEFINED:
  case CREBIND_UNREACHED: break;  // Not of applying, or not without an expectation.
  }
  return EINVAL;
}

/// The members are copied one by one, because fishhook's structure has no version and no library. A
/// call with nothing to rebind succeeds, as it does in fishhook.
static int apply(const struct rebinding *rebindings, size_t count,
                 const crebind_options *options) {
  if (count == 0) return 0;
  struct crebind_vector copies = CREBIND_VECTOR(crebind_rebinding);
  crebind_rebinding *copy = NULL;
  if (rebindings != NULL) {
    copy = crebind_vector_append(&copies, count);
    if (copy == NULL) {
      errno = ENOMEM;
      return -1;
    }
    for (size_t i = 0; i < count; i++)
      copy[i] = (crebind_rebinding){.name = rebindings[i].name,
                                    .replacement = rebindings[i].replacement,
                                    .original = rebindings[i].replaced};
  }
  crebind_handle *handle;  // fishhook's rebindings are for good
  crebind_error error;
  crebind_status status = crebind_apply(copy, count, options, &handle, NULL, &error);
  crebind_vector_free(&copies);
  if (status == CREBIND_OK) return 0;
  errno = errno_of(status, &error);
  return -1;
}

int rebind_symbols(struct rebinding rebindings[], size_t rebindings_nel) {
  return apply(rebindings, rebindings_nel, NULL);
}

int rebind_symbols_image(void *header, intptr_t slide, struct rebinding rebindings[],
                         size_t rebindings_nel) {
  struct crebind_images images;
  bool is_loaded = false;
  crebind_lock();
  crebind_status status = crebind_images_read(&images);
  if (status == CREBIND_OK)
    for (size_t i = 0; i < images.items.count; i++) {
      const struct crebind_image *image = crebind_image_at(&images, i);
      is_loaded |= header != NULL && image->header == (uintptr_t)header
                   && image->bias == (uintptr_t)slide;
    }
  crebind_unlock();
  crebind_images_free(&images);
  if (!is_loaded) {
    errno = status == CREBIND_OK ? EINVAL : ENOMEM;
    return -1;
  }
  const void *headers[] = {header};
  crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = headers, .image_count = 1};
  return apply(rebindings, rebindings_nel, &options);
}
#endif
