#define _GNU_SOURCE
#include "storing/pin.h"

void crebind_pins_begin(struct crebind_pins *pins) {
  *pins = (struct crebind_pins){CREBIND_VECTOR(struct crebind_pin), false};
}

void crebind_pins_end(struct crebind_pins *pins) { crebind_vector_free(&pins->items); }

static bool is_listed(const struct crebind_pins *pins, uint32_t known) {
  for (size_t i = 0; i < pins->items.count; i++) {
    const struct crebind_pin *pin = crebind_vector_at(&pins->items, i);
    if (pin->known == known) return true;
  }
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
  struct crebind_pin *pin = crebind_vector_append(&pins->items, 1);
  if (pin == NULL) return CREBIND_OUT_OF_MEMORY;
  *pin = (struct crebind_pin){known, record->serial, address};
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

void crebind_pins_file(struct crebind_pins *pins) {
  for (size_t i = 0; pins->were_held && i < pins->items.count; i++) {
    const struct crebind_pin *pin = crebind_vector_at(&pins->items, i);
    if (crebind_known_image_at(pin->known)->serial == pin->serial) crebind_known_pin(pin->known);
  }
  crebind_vector_truncate(&pins->items, 0);
  pins->were_held = false;
}

void crebind_pins_note_held(struct crebind_pins *pins) { pins->were_held = true; }
