#if defined(__linux__)
#define _GNU_SOURCE
#include "arrivals/held-images.h"

void crebind_held_images_begin(struct crebind_held_images *images) {
  *images = (struct crebind_held_images){
      .items = CREBIND_VECTOR(struct crebind_held_image)};
}

void crebind_held_images_end(struct crebind_held_images *images) {
  crebind_vector_free(&images->items);
}

static bool is_listed(const struct crebind_held_images *images, uint32_t known) {
  for (size_t i = 0; i < images->items.count; i++) {
    const struct crebind_held_image *image = crebind_vector_at(&images->items, i);
    if (image->known == known) return true;
  }
  return false;
}

static crebind_status collect(struct crebind_held_images *images, struct crebind_world *world,
                              uintptr_t address) {
  size_t index = crebind_world_image_with(world, address);
  if (index == SIZE_MAX || crebind_world_image(world, index)->is_main) return CREBIND_OK;
  uint32_t known = crebind_world_known(world, index);
  const struct crebind_known_image *record = crebind_known_image_at(known);
  if (record->is_pinned || is_listed(images, known)) return CREBIND_OK;
  bool may_be_unloaded;
  crebind_status status =
      crebind_scopes_may_be_unloaded(&world->scopes, index, &may_be_unloaded);
  if (status != CREBIND_OK || !may_be_unloaded) return status;
  struct crebind_held_image *image = crebind_vector_append(&images->items, 1);
  if (image == NULL) return CREBIND_OUT_OF_MEMORY;
  *image = (struct crebind_held_image){known, record->serial, address};
  return CREBIND_OK;
}

crebind_status crebind_held_images_collect(struct crebind_held_images *images,
                                           struct crebind_world *world,
                                           const struct crebind_batch *batch) {
  crebind_status status = collect(images, world, (uintptr_t)&crebind_held_images_collect);
  for (size_t i = 0; i < batch->items.count && status == CREBIND_OK; i++) {
    const struct crebind_item *item = crebind_batch_item(batch, i);
    status = collect(images, world, item->replacement);
    // We write the original into this image.
    if (status == CREBIND_OK) status = collect(images, world, (uintptr_t)item->original);
  }
  return status == CREBIND_OK && images->items.count != 0 ? CREBIND_BUSY : status;
}

void crebind_held_images_file(struct crebind_held_images *images) {
  for (size_t i = 0; images->were_held && i < images->items.count; i++) {
    const struct crebind_held_image *image = crebind_vector_at(&images->items, i);
    if (crebind_known_image_at(image->known)->serial == image->serial) crebind_known_pin(image->known);
  }
  crebind_vector_truncate(&images->items, 0);
  images->were_held = false;
}

void crebind_held_images_note_held(struct crebind_held_images *images) {
  images->were_held = true;
}
#endif
