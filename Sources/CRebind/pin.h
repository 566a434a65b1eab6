/// Keeps the images loaded that a batch's replacements are in, and this code's.

#ifndef CREBIND_PIN_H
#define CREBIND_PIN_H

#include "world.h"

#pragma GCC visibility push(hidden)

/// Images to hold.
struct crebind_pins {
  struct crebind_vector items;  // of pin.c
  bool were_held;
};

void crebind_pins_begin(struct crebind_pins *pins);
void crebind_pins_end(struct crebind_pins *pins);

/// Collects the images of a batch that may be unloaded and are not held yet; under
/// both locks. CREBIND_BUSY if there are any.
crebind_status crebind_pins_collect(struct crebind_pins *pins, struct crebind_world *world,
                                    const struct crebind_batch *batch);

/// Keeps each loaded for good; without any lock. An image that the loader does not
/// find by its own name for it is left as it is. False without memory.
bool crebind_pins_hold(struct crebind_pins *pins);

/// Notes what was held, and forgets the list; under our lock.
void crebind_pins_file(struct crebind_pins *pins);

#pragma GCC visibility pop

#endif
