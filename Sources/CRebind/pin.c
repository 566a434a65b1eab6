#define _GNU_SOURCE
#include "pin.h"
#include "attempt.h"

#include <dlfcn.h>

struct pin {
  uint32_t known;
  uint64_t serial;
  size_t path;
};

void crebind_pins_begin(struct crebind_pins *pins) {
  *pins = (struct crebind_pins){CREBIND_VECTOR(struct pin), CREBIND_VECTOR(char), false};
}

void crebind_pins_end(struct crebind_pins *pins) {
  crebind_vector_free(&pins->items);
  crebind_vector_free(&pins->paths);
}

static bool is_listed(const struct crebind_pins *pins, uint32_t known) {
  for (size_t i = 0; i < pins->items.count; i++)
    if (((const struct pin *)crebind_vector_at(&pins->items, i))->known == known) return true;
  return false;
}

static crebind_status collect(struct crebind_pins *pins, struct crebind_world *world,
                              uintptr_t address) {
  size_t index = crebind_world_image_with(world, address);
  if (index == SIZE_MAX || crebind_world_image(world, index)->is_main) return CREBIND_OK;
  uint32_t known = crebind_world_known(world, index);
  const struct crebind_known_image *record = crebind_known_image_at(known);
  if (record->is_pinned || is_listed(pins, known)) return CREBIND_OK;
  bool may_be_unloaded;
  crebind_status status =
      crebind_scopes_may_be_unloaded(&world->scopes, index, &may_be_unloaded);
  if (status != CREBIND_OK || !may_be_unloaded) return status;
  const char *path = crebind_image_path(&world->images, crebind_world_image(world, index));
  size_t size = crebind_length(path) + 1, offset = pins->paths.count;
  char *copy = crebind_vector_append(&pins->paths, size);
  struct pin *pin = crebind_vector_append(&pins->items, 1);
  if (copy == NULL || pin == NULL) return CREBIND_OUT_OF_MEMORY;
  memcpy(copy, path, size);
  *pin = (struct pin){known, record->serial, offset};
  return CREBIND_OK;
}

crebind_status crebind_pins_collect(struct crebind_pins *pins, struct crebind_world *world,
                                    const struct crebind_batch *batch) {
  crebind_status status = collect(pins, world, (uintptr_t)&crebind_pins_collect);
  for (size_t i = 0; i < batch->items.count && status == CREBIND_OK; i++) {
    const struct crebind_item *item = crebind_batch_item(batch, i);
    status = collect(pins, world, item->replacement);
    // We write there.
    if (status == CREBIND_OK) status = collect(pins, world, (uintptr_t)item->original);
  }
  return status == CREBIND_OK && pins->items.count != 0 ? CREBIND_BUSY : status;
}

void crebind_pins_hold(struct crebind_pins *pins) {
  pins->were_held = true;
  // Looked up rather than imported: so it is not our own slots that are used.
  void *(*open_image)(const char *, int) =
      (void *(*)(const char *, int))crebind_find_loader_function("dlopen");
  int (*close_image)(void *) = (int (*)(void *))crebind_find_loader_function("dlclose");
  char *(*last_error)(void) = (char *(*)(void))crebind_find_loader_function("dlerror");
  if (open_image == NULL || close_image == NULL) return;
  for (size_t i = 0; i < pins->items.count; i++) {
    const struct pin *pin = crebind_vector_at(&pins->items, i);
    void *image =
        open_image(pins->paths.data + pin->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (image != NULL)
      close_image(image);
    else if (last_error != NULL)
      last_error();  // The failure is not the program's.
  }
}

void crebind_pins_file(struct crebind_pins *pins) {
  for (size_t i = 0; pins->were_held && i < pins->items.count; i++) {
    const struct pin *pin = crebind_vector_at(&pins->items, i);
    struct crebind_known_image *known = crebind_known_image_at(pin->known);
    if (known->serial == pin->serial) known->is_pinned = true;
  }
  pins->items.count = pins->paths.count = 0;
  pins->were_held = false;
}
