/// The functions to which the resolvers of IFUNCs lead.
///
/// A resolver is other people's code. It may call a function for the first time. For that, the
/// loader may want a lock that another thread's dlopen holds, and that thread may wait for us. So
/// the question is put under the locks, and the resolver is called without any. Meanwhile its image
/// is held, and so are the images whose scopes it looks through. At the next attempt the answer is
/// there. An answer is good for one call. If the resolver's image is never unloaded, it is good for
/// later calls, too.

#if defined(__linux__)
#pragma once

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

struct crebind_ifunc {
  uintptr_t resolver;
  /// The function that the resolver gave; 0 if the resolver's image had gone.
  uintptr_t function;
  /// The serial number of the image that the resolver is in; see binding/records.h.
  uint64_t serial;
  /// The images to hold, that one first; none if that is never unloaded.
  size_t first_image, image_count;
  /// The answer is good for later calls.
  bool lasts;
};

/// An image to hold, as `crebind_hold_image` takes it, and its hold.
struct crebind_ifunc_image {
  uintptr_t header, dynamic;
  uint64_t generation;
  struct crebind_image_hold *hold;
};

struct crebind_ifuncs {
  struct crebind_vector items;   // struct crebind_ifunc
  struct crebind_vector images;  // struct crebind_ifunc_image
  /// The items from here on are questions still.
  size_t answered;
  /// A question could not be put.
  bool lacks_memory;
};

void crebind_ifuncs_begin(struct crebind_ifuncs *ifuncs);
void crebind_ifuncs_end(struct crebind_ifuncs *ifuncs);

static inline bool crebind_ifuncs_are_open(const struct crebind_ifuncs *ifuncs) {
  return ifuncs->lacks_memory || ifuncs->answered != ifuncs->items.count;
}

/// The answer of a resolver of the image with this serial, or NULL; phase C.
const struct crebind_ifunc *crebind_ifuncs_find(const struct crebind_ifuncs *ifuncs,
                                                uintptr_t resolver, uint64_t serial);

/// Puts a question that has no answer; false if it has been put before.
bool crebind_ifuncs_put(struct crebind_ifuncs *ifuncs, const struct crebind_ifunc *question);
/// Adds an image to hold to the question that was put last.
void crebind_ifuncs_add_image(struct crebind_ifuncs *ifuncs,
                              const struct crebind_ifunc_image *image);

/// Answers the first question that is open: with 0 if the image of the resolver has gone.
void crebind_ifuncs_answer(struct crebind_ifuncs *ifuncs, uintptr_t function);

/// Says that the questions cannot be put.
void crebind_ifuncs_fail(struct crebind_ifuncs *ifuncs);

/// Keeps the answers that are good for later calls; phase B.
void crebind_ifuncs_file(const struct crebind_ifuncs *ifuncs);

#pragma GCC visibility pop
#endif
