/// Keeps the images loaded that a batch's replacements are in, and this code's.

#ifndef CREBIND_STORING_PIN_H
#define CREBIND_STORING_PIN_H

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// The image that an address is in.
struct crebind_pin {
  uint32_t known;
  uint64_t serial;
  uintptr_t address;
};

/// Images to hold.
struct crebind_pins {
  struct crebind_vector items;  // struct crebind_pin
  /// Those that the loader has found by its own names for them.
  bool were_held;
};

void crebind_pins_begin(struct crebind_pins *pins);
void crebind_pins_end(struct crebind_pins *pins);

/// Collects the images of a batch that may be unloaded and are not held yet; phase C.
/// CREBIND_BUSY if it has collected any.
crebind_status crebind_pins_collect(struct crebind_pins *pins, struct crebind_world *world,
                                    const struct crebind_batch *batch);

/// The images are held.
void crebind_pins_note_held(struct crebind_pins *pins);

/// Notes what was held, and forgets the list; phase B.
void crebind_pins_file(struct crebind_pins *pins);

#pragma GCC visibility pop

#endif
