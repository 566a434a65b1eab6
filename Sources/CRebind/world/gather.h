/// Copies of what is seen in phase C, for callbacks that run without locks.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// Strings by offset, since they move while more are added; offset 0 is "".
struct crebind_strings {
  struct crebind_vector bytes;
  /// A string is missing.
  bool lacks_memory;
};

void crebind_strings_begin(struct crebind_strings *strings);
/// The offset of a copy; 0 for NULL, "" and, which is noted, without memory.
size_t crebind_strings_add(struct crebind_strings *strings, const char *string);

/// True if all strings were added since the last question.
bool crebind_strings_have_taken(struct crebind_strings *strings);

static inline const char *crebind_strings_at(const struct crebind_strings *strings,
                                             size_t offset) {
  return offset == 0 ? "" : strings->bytes.data + offset;
}

/// An image's description; the strings are offsets.
struct crebind_gathered_image {
  uintptr_t header, slide;
  size_t path, soname;
};

struct crebind_gathered_image crebind_gather_image(struct crebind_strings *strings,
                                                   const struct crebind_world *world,
                                                   size_t index);
crebind_image_info crebind_image_of(const struct crebind_strings *strings,
                                    const struct crebind_gathered_image *image);

/// A slot's description; the strings are offsets.
struct crebind_gathered_slot {
  struct crebind_gathered_image image;
  size_t symbol, version;
  size_t item;
  uintptr_t address, current, value, original;
  crebind_slot_kind kind;
  bool is_lazy, is_relro;
};

struct crebind_gathered_slot crebind_gather_slot(struct crebind_strings *strings,
                                                 const struct crebind_world *world,
                                                 const struct crebind_entry *entry);
crebind_slot_info crebind_slot_of(const struct crebind_strings *strings,
                                  const struct crebind_gathered_slot *slot);

#pragma GCC visibility pop
#endif
