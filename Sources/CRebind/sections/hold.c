#if defined(__linux__)
#define _GNU_SOURCE
#include "sections/hold.h"
#include "runtime/status.h"
#include "world/loader.h"
#include "world/look.h"

#include <dlfcn.h>
#include <errno.h>

/// An image, and what is found out of it.
struct request {
  uintptr_t header, dynamic;
  uint64_t generation;
  /// It is never unloaded; it has Swift code, and must not be.
  bool is_permanent, has_swift;
  uintptr_t bias;
  struct crebind_vector path;  // char
};

// MARK: - Swift

static bool begins_with(const char *string, const char *prefix) {
  for (; *prefix != 0; string++, prefix++)
    if (*string != *prefix) return false;
  return true;
}

/// Swift code needs the runtime: in a shared library, or linked in statically with its symbols
/// exported.
static bool has_swift(const struct crebind_image *image, const struct crebind_dynamic *dynamic) {
  for (size_t i = 0; i < image->dynamic_count && image->dynamic[i].d_tag != DT_NULL; i++) {
    if (image->dynamic[i].d_tag != DT_NEEDED) continue;
    const char *library = crebind_dynamic_string(dynamic, image->dynamic[i].d_un.d_val);
    if (library != NULL && begins_with(library, "libswift")) return true;
  }
  const struct crebind_name name = crebind_name_of("swift_getTypeByMangledNameInContext");
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, &name);
  return crebind_symbol_walk_next(&walk) != 0;
}

static void ignore_section(const crebind_section *section, void *context) {
  (void)section, (void)context;
}

/// True if another try may find the file.
static bool may_pass(const crebind_error *error) {
  int number = error->system_error;
  return error->status == CREBIND_OUT_OF_MEMORY || number == ENOMEM || number == EMFILE
         || number == ENFILE || number == EIO;
}

/// Looks for Swift's metadata, which show Swift code where the runtime's symbols are hidden.
static crebind_status look_for_swift_sections(struct request *request) {
  static const char *const names[] = {"swift5_type_metadata", "swift5_protocols",
                                      "swift5_reflection_strings"};
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !request->has_swift; i++) {
    crebind_error error;
    memset(&error, 0, sizeof error);
    crebind_status status = crebind_section_data((const void *)request->header, names[i],
                                                 ignore_section, NULL, &error);
    request->has_swift = status == CREBIND_OK;
    if (status != CREBIND_OK && may_pass(&error)) return status;
  }
  return CREBIND_OK;
}

// MARK: - The image

static crebind_status describe(struct crebind_look *look, size_t index,
                               struct request *request) {
  struct crebind_world *world = &look->world;
  const struct crebind_image *image = crebind_world_image(world, index);
  const struct crebind_known_image *known =
      crebind_known_image_at(crebind_world_known(world, index));
  if (known->is_leaving) return CREBIND_NO_SUCH_IMAGE;
  request->bias = image->bias;
  request->header = image->header;
  request->dynamic = (uintptr_t)image->dynamic;
  request->generation = known->generation;
  request->is_permanent = image->is_main || image->is_vdso || known->is_pinned;
#ifndef __GLIBC__
  request->is_permanent = true;  // musl never unloads
#endif
  bool may_be_unloaded;
  if (crebind_scopes_may_be_unloaded(&world->scopes, index, &may_be_unloaded) == CREBIND_OK
      && !may_be_unloaded)
    request->is_permanent = true;
  request->has_swift =
      *(const int64_t *)crebind_vector_at(&world->broken_tags, index) == INT64_MIN
      && has_swift(image, crebind_world_dynamic(world, index));
  crebind_vector_truncate(&request->path, 0);
  size_t offset = crebind_vector_append_string(&request->path,
                                               crebind_image_path(&world->images, image));
  return offset != SIZE_MAX ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
}

static crebind_status find(struct crebind_look *look, void *context) {
  struct request *request = context;
  struct crebind_world *world = &look->world;
  size_t index = crebind_world_find(world, (const void *)request->header);
  if (index == SIZE_MAX
      || (uintptr_t)crebind_world_image(world, index)->dynamic != request->dynamic
      || crebind_known_image_at(crebind_world_known(world, index))->generation
             != request->generation)
    return CREBIND_NO_SUCH_IMAGE;
  return describe(look, index, request);
}

/// The address is in place of the header.
static crebind_status find_with(struct crebind_look *look, void *context) {
  struct request *request = context;
  size_t index = crebind_world_image_with(&look->world, request->header);
  return index == SIZE_MAX ? CREBIND_NO_SUCH_IMAGE : describe(look, index, request);
}

/// For an image that a reference keeps.
static crebind_status note_pin(struct crebind_look *look, void *context) {
  const struct request *request = context;
  size_t index = crebind_world_find(&look->world, (const void *)request->header);
  if (index == SIZE_MAX) return CREBIND_NO_SUCH_IMAGE;
  crebind_known_pin(crebind_world_known(&look->world, index));
  return CREBIND_OK;
}

// MARK: - The loader

static bool is_same(const struct crebind_loader *loader, void *image,
                    const struct request *request) {
  struct link_map *map = NULL;
  return loader->information(image, RTLD_DI_LINKMAP, &map) == 0
         && map->l_addr == request->bias && (uintptr_t)map->l_ld == request->dynamic;
}

/// One more reference to the image, if the loader has it by its path.
static crebind_status open_image(const struct crebind_loader *loader, struct request *request,
                                 int flags, void **result) {
  // It has loaded the image: memory has run out for looking it up.
  if (loader->open == NULL || loader->close == NULL || loader->information == NULL)
    return CREBIND_OUT_OF_MEMORY;
  void *image = loader->open(request->path.data, RTLD_LAZY | RTLD_NOLOAD | flags);
  if (image == NULL && loader->last_error != NULL)
    loader->last_error();  // The failure is not the program's.
  if (image == NULL) return CREBIND_NO_SUCH_IMAGE;
  // With the reference it stays what it is now: another one, or still the one meant.
  crebind_status status = is_same(loader, image, request) ? crebind_look(find, request, NULL)
                                                          : CREBIND_NO_SUCH_IMAGE;
  if (status == CREBIND_OK)
    *result = image;
  else
    loader->close(image);
  return status;
}

/// Holds an image that has been found; for good if that is asked for or has to be.
static crebind_status hold(struct request *request, bool is_for_good, void **result) {
  *result = NULL;
  if (request->is_permanent) return CREBIND_OK;
  crebind_status status = CREBIND_OK;
  if (!is_for_good && !request->has_swift) status = look_for_swift_sections(request);
  is_for_good |= request->has_swift;
  struct crebind_loader loader = crebind_loader();
  if (status == CREBIND_OK)
    status = open_image(&loader, request, is_for_good ? RTLD_NODELETE : 0, result);
  if (status != CREBIND_OK || !is_for_good) return status;
  crebind_look(note_pin, request, NULL);
  loader.close(*result);
  *result = NULL;
  return CREBIND_OK;
}

// MARK: - Interface

crebind_status crebind_hold_image_with(uintptr_t address) {
  struct request request = {.header = address, .path = CREBIND_VECTOR(char)};
  void *image;
  crebind_status status = crebind_look(find_with, &request, NULL);
  if (status == CREBIND_OK) status = hold(&request, true, &image);
  crebind_vector_free(&request.path);
  return status;
}

crebind_status crebind_hold_image(const void *header, uintptr_t dynamic, uint64_t generation,
                                  crebind_image_hold **result, crebind_error *error) {
  if (header == NULL || result == NULL)
    return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct request request = {.header = (uintptr_t)header,
                            .dynamic = dynamic,
                            .generation = generation,
                            .path = CREBIND_VECTOR(char)};
  void *image = NULL;
  crebind_status status = crebind_look(find, &request, error);
  if (status == CREBIND_OK) {
    status = hold(&request, false, &image);
    if (status != CREBIND_OK) crebind_fail(error, status, -1);
  }
  if (status == CREBIND_OK) *result = (crebind_image_hold *)image;
  crebind_vector_free(&request.path);
  errno = saved_errno;
  return status;
}

void crebind_release_image(crebind_image_hold *hold) {
  if (hold == NULL) return;
  int saved_errno = errno;
  struct crebind_loader loader = crebind_loader();
  if (loader.close != NULL) loader.close(hold);
  errno = saved_errno;
}
#endif
