/// The notes of a loaded image, in its PT_NOTE segments: what is said of an image without its file.
/// Documentation/ABI/Annotations.md describes our own notes.

#if defined(__linux__)
#pragma once

#include "elf/image.h"

#pragma GCC visibility push(hidden)

/// The owner and the types of our notes.
#define CREBIND_NOTE_OWNER "Rebind"
enum { CREBIND_NT_SECTION = 1, CREBIND_NT_LISTENER = 2 };

struct crebind_note {
  uint32_t type;
  /// The owner, with the zero byte at its end; not aligned to more than 4.
  const char *owner;
  size_t owner_size;
  const char *description;
  size_t size;
};

/// A walk over an image's notes. The notes that it gives lie in the image; a segment whose sizes
/// contradict each other ends where they do.
struct crebind_note_walk {
  const struct crebind_image *image;
  /// The next segment.
  size_t segment;
  /// The rest of the current one.
  const char *rest;
  size_t size, offset, alignment;
};

/// While the image stays: in phase C.
void crebind_note_walk_begin(struct crebind_note_walk *walk, const struct crebind_image *image);
bool crebind_note_walk_next(struct crebind_note_walk *walk, struct crebind_note *note);

/// The descriptor of NT_GNU_BUILD_ID; NULL for none.
const uint8_t *crebind_note_build_id(const struct crebind_image *image, size_t *size);

/// The bits of a property in NT_GNU_PROPERTY_TYPE_0, such as
/// GNU_PROPERTY_AARCH64_FEATURE_1_AND; 0 for none.
uint32_t crebind_note_property(const struct crebind_image *image, uint32_t type);

/// Tells an image from another build at its place: a hash of its headers and its build ID.
uint64_t crebind_image_fingerprint(const struct crebind_image *image);

/// A section, as an image's note describes it. Equal start and end: the linker has dropped it.
struct crebind_noted_section {
  struct crebind_range range;
  /// The segment that it lies in; NULL for a dropped one, and if the note is broken.
  const ElfW(Phdr) * segment;
  bool is_broken;
  /// In the note.
  const char *name;
};

/// Reads a note NT_REBIND_SECTION; false for another one.
bool crebind_note_section(const struct crebind_image *image, const struct crebind_note *note,
                          struct crebind_noted_section *section);

/// True if the image holds a copy of CRebind: it has a note NT_REBIND_LISTENER that leads to a
/// word of its own.
bool crebind_image_has_copy(const struct crebind_image *image);

#pragma GCC visibility pop
#endif
