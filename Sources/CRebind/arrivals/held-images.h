/// Keeps the images loaded that hold a batch's replacements, and the image that holds this code.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// The image that an address is in.
struct crebind_held_image {
  uint32_t known;
  uint64_t serial;
  uintptr_t address;
};

/// Images to hold.
struct crebind_held_images {
  struct crebind_vector items;  // struct crebind_held_image
  /// The images have been held, as far as the loader finds them by its own names for them.
  bool were_held;
};

void crebind_held_images_begin(struct crebind_held_images *images);
void crebind_held_images_end(struct crebind_held_images *images);

/// Collects the images of a batch that may be unloaded and are not held yet; phase C. Returns
/// CREBIND_BUSY if it has collected any.
crebind_status crebind_held_images_collect(struct crebind_held_images *images,
                                           struct crebind_world *world,
                                           const struct crebind_batch *batch);

/// Notes that the images are held.
void crebind_held_images_note_held(struct crebind_held_images *images);

/// Notes what was held, and forgets the list; phase B.
void crebind_held_images_file(struct crebind_held_images *images);

#pragma GCC visibility pop
#endif
