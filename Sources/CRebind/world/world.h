/// The loaded images as one call sees them in phase C: the snapshot, each image's decoded
/// dynamic table, its place in the records, and the scopes for lookups.

#if defined(__linux__)
#pragma once

#include "binding/records.h"
#include "binding/scope.h"

#pragma GCC visibility push(hidden)

struct crebind_world {
  struct crebind_images images;
  /// The batch of the call under way that is not active yet, or NULL.
  struct crebind_handle *new_handle;
  struct crebind_vector dynamics;     // struct crebind_dynamic, by image
  struct crebind_vector broken_tags;  // int64_t, by image: the tag, or INT64_MIN
  struct crebind_vector known_of;     // uint32_t, by image: the index in the records
  struct crebind_scopes scopes;
  struct crebind_versions versions;
  /// The global scope's answers about names and versions: most images ask the same.
  struct crebind_vector memo;  // of world/world.c, by the name's hash
  /// The dynamic tables are decoded.
  bool is_filled;
};

static inline const struct crebind_image *crebind_world_image(const struct crebind_world *world,
                                                              size_t index) {
  return crebind_image_at(&world->images, index);
}

static inline const struct crebind_dynamic *crebind_world_dynamic(
    const struct crebind_world *world, size_t index) {
  return crebind_vector_at(&world->dynamics, index);
}

static inline uint32_t crebind_world_known(const struct crebind_world *world, size_t index) {
  return *(uint32_t *)crebind_vector_at(&world->known_of, index);
}

/// Takes the snapshot; phase B. End the world in any case.
///
/// \param new_handle The batch of the call under way that is not active yet, or NULL.
crebind_status crebind_world_begin(struct crebind_world *world, struct crebind_handle *new_handle);
void crebind_world_end(struct crebind_world *world);

/// Decodes the images and finds them in the records, or enters them there; phase C. Images that are
/// gone are marked. If the world is filled already, this only finds its images in the records
/// again.
crebind_status crebind_world_fill(struct crebind_world *world);

/// Finds the function that a reference in image `from` would be bound to without our rebindings (0
/// for none), and the definition (image SIZE_MAX for none).
crebind_status crebind_world_bind(struct crebind_world *world, size_t from,
                                  const struct crebind_name *name, const char *version,
                                  bool wants_default, uintptr_t *function,
                                  struct crebind_definition *definition);

/// The same, for callers that need only the image of the definition, not its symbol.
crebind_status crebind_world_resolve(struct crebind_world *world, size_t from,
                                     const struct crebind_name *name, const char *version,
                                     bool wants_default, uintptr_t *function, size_t *definer);

/// Forgets the memo's answers, because they use the names of a batch that is about to be freed.
void crebind_world_forget_answers(struct crebind_world *world);

/// Puts the questions to the resolvers of all IFUNCs that have these names in the global scope.
/// Otherwise a plan would come upon them one by one. O(names * images of the global scope).
crebind_status crebind_world_ask_resolvers(struct crebind_world *world,
                                           const struct crebind_names *names);

/// Describes an image to a callback.
crebind_image_info crebind_world_info(const struct crebind_world *world, size_t index);

/// The image with this ELF header; SIZE_MAX for none, or if `header` is NULL.
size_t crebind_world_find(const struct crebind_world *world, const void *header);

/// The image that holds an address, or SIZE_MAX.
size_t crebind_world_image_with(const struct crebind_world *world, uintptr_t address);

/// DT_SONAME, or "".
const char *crebind_soname(const struct crebind_dynamic *dynamic);

/// True if `library` names the image: by soname, path or file name.
bool crebind_world_is_library(const struct crebind_world *world, size_t index,
                              const char *library);

#pragma GCC visibility pop
#endif
