/// Relocations that linkers pack for Android: DT_ANDROID_RELA and DT_ANDROID_REL.
///
/// A stream of signed LEB128 numbers behind "APS2": the number of entries and the first offset,
/// and then groups. The entries of a group may share their info, their addend, or the distance
/// from one to the next. An entry may so take no byte at all.

#ifndef CREBIND_ELF_PACKED_H
#define CREBIND_ELF_PACKED_H

#include "elf/image.h"

#pragma GCC visibility push(hidden)

/// A packed table; without data it has no entries.
struct crebind_packed {
  const uint8_t *data;
  size_t size;
  bool is_rela;
};

/// A walk over the entries of a packed table.
struct crebind_packed_walk {
  const uint8_t *next, *end;
  /// How many entries follow, in all and of the group.
  uint64_t left, left_in_group;
  uint64_t flags, distance;
  /// The last entry; that of a REL table has the addend 0.
  ElfW(Rela) entry;
  bool is_rela;
  /// The numbers end too early, or contradict each other.
  bool is_broken;
};

void crebind_packed_begin(struct crebind_packed_walk *walk, const struct crebind_packed *packed);

/// The next entry, or NULL at the end.
const ElfW(Rela) * crebind_packed_next(struct crebind_packed_walk *walk);

/// True if the whole table can be walked, and has no more entries than `room`.
///
/// - Complexity: O(entries).
bool crebind_packed_is_sound(const struct crebind_packed *packed, size_t room);

#pragma GCC visibility pop

#endif
