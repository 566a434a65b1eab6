/// Where a slot leads, and who has stored that.

#if defined(__linux__)
#pragma once

#include "binding/slot-scan.h"
#include "world/gather.h"

#pragma GCC visibility push(hidden)

/// The word of a slot, beside the one that the loader would bind.
struct crebind_judgement {
  uintptr_t word;
  /// The word without what the loader added.
  uintptr_t target;
  /// The function that the loader binds, 0 for none, and the image that defines
  /// it; not looked for where the slot is unresolved or holds NULL.
  uintptr_t expected;
  size_t definer;
  bool is_unresolved;
  crebind_rebinder rebinder;
};

/// True for a slot that can be read, of a symbol that other images may define.
/// `name` receives the symbol's name.
bool crebind_slot_is_judgeable(const struct crebind_world *world, size_t index,
                               const struct crebind_slot *slot, struct crebind_name *name);

static inline bool crebind_slot_is_relro(const struct crebind_image *image,
                                         const struct crebind_slot *slot) {
  return slot->address >= image->relro.start && slot->address < image->relro.end;
}

/// True for a slot that holds NULL, is unresolved, or leads to a definition of its own
/// symbol's name, whichever the loader would bind: much faster than judging it.
bool crebind_slot_leads_home(struct crebind_world *world, size_t index,
                             const struct crebind_slot *slot, const struct crebind_name *name);

/// Judges a slot of the image with this index, whose symbol has this name.
crebind_status crebind_judge_slot(struct crebind_world *world, size_t index,
                                  const struct crebind_slot *slot,
                                  const struct crebind_name *name,
                                  struct crebind_judgement *judgement);

/// The image and symbol that an address is in; the strings are offsets.
struct crebind_gathered_target {
  uintptr_t address, offset;
  struct crebind_gathered_image image;
  size_t symbol;
};

/// Names the symbol that covers the address, of several the one that is called
/// `hint`. O(symbols of the image).
struct crebind_gathered_target crebind_gather_target(struct crebind_strings *strings,
                                                     const struct crebind_world *world,
                                                     uintptr_t address, const char *hint);
crebind_target crebind_target_of(const struct crebind_strings *strings,
                                 const struct crebind_gathered_target *target);

#pragma GCC visibility pop
#endif
