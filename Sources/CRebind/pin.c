#define _GNU_SOURCE
#include "pin.h"
#include "attempt.h"

#include <dlfcn.h>

void crebind_pins_begin(struct crebind_pins *pins) { pins->paths = CREBIND_VECTOR(char); }

void crebind_pins_end(struct crebind_pins *pins) { crebind_vector_free(&pins->paths); }

static bool collect(struct crebind_pins *pins, const struct crebind_world *world,
                    uintptr_t address) {
  size_t index = crebind_world_image_with(world, address);
  if (index == SIZE_MAX || crebind_world_image(world, index)->is_main) return true;
  struct crebind_known_image *known = crebind_known_image_at(crebind_world_known(world, index));
  if (known->is_pinned) return true;
  known->is_pinned = true;
  const char *path = crebind_image_path(&world->images, crebind_world_image(world, index));
  size_t size = crebind_length(path) + 1;
  char *copy = crebind_vector_append(&pins->paths, size);
  if (copy == NULL) return false;
  memcpy(copy, path, size);
  return true;
}

crebind_status crebind_pins_collect(struct crebind_pins *pins, const struct crebind_world *world,
                                    const struct crebind_batch *batch) {
  if (!collect(pins, world, (uintptr_t)&crebind_pins_collect)) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < batch->items.count; i++)
    if (!collect(pins, world, crebind_batch_item(batch, i)->replacement))
      return CREBIND_OUT_OF_MEMORY;
  return CREBIND_OK;
}

void crebind_pins_hold(const struct crebind_pins *pins) {
  if (pins->paths.count == 0) return;
  // Looked up rather than imported: so it is not our own slots that are used.
  void *(*open_image)(const char *, int) =
      (void *(*)(const char *, int))crebind_find_loader_function("dlopen");
  int (*close_image)(void *) = (int (*)(void *))crebind_find_loader_function("dlclose");
  if (open_image == NULL || close_image == NULL) return;
  for (size_t at = 0; at < pins->paths.count;) {
    const char *path = pins->paths.data + at;
    void *image = open_image(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (image != NULL) close_image(image);
    at += crebind_length(path) + 1;
  }
}
