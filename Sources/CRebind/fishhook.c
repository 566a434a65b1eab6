#define _GNU_SOURCE
#include "CRebind.h"
#include "image.h"

#include <errno.h>

const char *crebind_status_description(crebind_status status) {
  switch (status) {
  case CREBIND_OK: return "success";
  case CREBIND_INVALID_ARGUMENT: return "a name or a replacement is missing, or the batch is empty";
  case CREBIND_DUPLICATE_NAME: return "two rebindings of one batch name the same symbol";
  case CREBIND_NO_SUCH_IMAGE: return "no loaded image has this header and slide";
  case CREBIND_STATIC_EXECUTABLE:
    return "the program is statically linked, so its calls go through no slots";
  case CREBIND_BROKEN_IMAGE: return "the image's dynamic table points outside of its segments";
  case CREBIND_OUT_OF_MEMORY: return "mmap gave no memory";
  case CREBIND_PROTECTION: return "mprotect refused to change the protection of a page";
  case CREBIND_BUSY: return "images kept being loaded or unloaded";
  }
  return "unknown status";
}

/// fishhook's clients read `errno`.
static int errno_of(crebind_status status, const crebind_error *error) {
  switch (status) {
  case CREBIND_OK: return 0;
  case CREBIND_INVALID_ARGUMENT:
  case CREBIND_DUPLICATE_NAME:
  case CREBIND_NO_SUCH_IMAGE: return EINVAL;
  case CREBIND_STATIC_EXECUTABLE: return ENOTSUP;
  case CREBIND_BROKEN_IMAGE: return ENOEXEC;
  case CREBIND_OUT_OF_MEMORY: return ENOMEM;
  case CREBIND_PROTECTION: return error->system_error;
  case CREBIND_BUSY: return EAGAIN;
  }
  return EINVAL;
}

/// fishhook's `struct rebinding` has the layout of ours: the same three members.
static int apply(const struct rebinding *rebindings, size_t count,
                 const crebind_options *options) {
  crebind_handle *handle;  // fishhook's rebindings are for good
  crebind_error error;
  crebind_status status = crebind_apply((const crebind_rebinding *)rebindings, count, options,
                                        &handle, NULL, &error);
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
  if (crebind_images_read(&images) == CREBIND_OK)
    for (size_t i = 0; i < images.items.count; i++) {
      const struct crebind_image *image = crebind_image_at(&images, i);
      is_loaded |= header != NULL && image->header == (uintptr_t)header
                   && image->bias == (uintptr_t)slide;
    }
  crebind_images_free(&images);
  if (!is_loaded) {
    errno = EINVAL;
    return -1;
  }
  crebind_options options = {.image = header};
  return apply(rebindings, rebindings_nel, &options);
}
