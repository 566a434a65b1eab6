/// The images that this copy of CRebind has seen, by an index that lasts. The lock guards all of
/// it.
///
/// An index is given to another image once its own has gone and nobody uses it any more. Whoever
/// keeps something about known images has a table of its own with a row for each.

#if defined(__linux__)
#pragma once

#include "elf/snapshot.h"

#pragma GCC visibility push(hidden)

/// Users of an index: they are told that its image has gone before it is given to another one.
enum crebind_user {
  /// The active batches were brought to all images while it was there.
  CREBIND_USED_BY_BATCHES = 1,
  /// The observers were told that it is there.
  CREBIND_USED_BY_OBSERVERS = 2,
};

struct crebind_known_image {
  /// No other image has had it.
  uint64_t serial;
  uintptr_t bias;
  const ElfW(Dyn) * dynamic;
  uintptr_t header;
  struct crebind_range span;
  /// A hash of its headers and its build ID; see elf/note.h.
  uint64_t fingerprint;
  /// The loader's count of images when this one was first seen.
  unsigned long long generation;
  /// Offsets into the strings.
  size_t path, soname;
  /// The index in the snapshot of the call under way, or SIZE_MAX.
  size_t index;
  /// Loaded when last looked; entries of an image that is gone are dropped.
  bool is_present;
  /// Its destructor has told that it is about to be unloaded.
  bool is_leaving;
  /// Kept loaded by us.
  bool is_pinned;
  /// Bits of `enum crebind_user`.
  uint8_t users;
};

/// By index, for reading.
extern const struct crebind_vector *const crebind_known_images;  // struct crebind_known_image

static inline size_t crebind_known_count(void) { return crebind_known_images->count; }

static inline const struct crebind_known_image *crebind_known_image_at(size_t index) {
  return crebind_vector_at(crebind_known_images, index);
}

const char *crebind_known_path(const struct crebind_known_image *known);
const char *crebind_known_soname(const struct crebind_known_image *known);

/// Notes that an index is used, or is not any more.
void crebind_known_use(size_t index, enum crebind_user user, bool is_used);

/// Notes that an image is kept loaded by us.
void crebind_known_pin(size_t index);

/// Notes that an image is about to be unloaded; or, if that has been noted already, that another
/// one has taken its place.
void crebind_known_leave(size_t index);
void crebind_known_replace(size_t index);

/// The number of images that have gone since the active batches were last brought to all images.
size_t crebind_count_gone_images(void);

/// True if the address was in one of them.
bool crebind_is_gone(uintptr_t address);

// MARK: Generations

/// The loader's counts when the active batches were last brought to all images.
struct crebind_counts crebind_served_counts(void);

/// True if they were brought to all of them, and the counts are these.
bool crebind_is_served(struct crebind_counts counts);

/// Notes the counts, and that the images that are present are used by batches.
///
/// \param all_served False if an image is due still.
void crebind_note_served(struct crebind_counts counts, bool all_served);

// MARK: Tables

/// A table of its owner, with a row for each known image. The row of a new one is 0.
struct crebind_known_table {
  struct crebind_vector rows;
  struct crebind_known_table *next;
  bool is_attached;
};

#define CREBIND_KNOWN_TABLE(type) {.rows = {NULL, 0, 0, sizeof(type), false}}

/// Gives the table its rows, from now on; false without memory. O(1) if it has them.
bool crebind_known_attach(struct crebind_known_table *table);

/// The row of an image in a table that has been attached.
static inline void *crebind_known_row(const struct crebind_known_table *table, size_t index) {
  return crebind_vector_at(&table->rows, index);
}

// MARK: Recognising images

/// Finds the images in the order of the snapshot, and marks those that are gone.
///
/// \param known_of Receives their indices, UINT32_MAX for images that are new.
void crebind_known_find(const struct crebind_images *images, uint32_t *known_of);

/// Enters an image that is new, by an index that nobody uses; false without memory.
///
/// \param next_free Where to look for it: 0 for the first image of a call.
bool crebind_known_enter(const struct crebind_images *images, size_t at, const char *soname,
                         uint32_t *index, size_t *next_free);

/// Forgets the strings of images whose indices others have, once they are many; false without
/// memory.
bool crebind_known_compact(void);

/// The serial number of the image that was entered last.
uint64_t crebind_last_image_serial(void);

#pragma GCC visibility pop
#endif
