#define _GNU_SOURCE
#include "elf/packed.h"

enum { SAME_INFO = 1, SAME_DISTANCE = 2, SAME_ADDEND = 4, HAS_ADDEND = 8, ALL_FLAGS = 15 };

/// The next number; 0 at the end, or for a number of more than 64 bits.
static uint64_t next_number(struct crebind_packed_walk *walk) {
  uint64_t bits = 0;
  for (unsigned width = 0; width < 64 && walk->next < walk->end;) {
    uint8_t byte = *walk->next++;
    bits |= (uint64_t)(byte & 0x7f) << width;
    width += 7;
    if ((byte & 0x80) != 0) continue;
    return width < 64 && (byte & 0x40) != 0 ? bits | ~UINT64_C(0) << width : bits;
  }
  walk->is_broken = true;
  return 0;
}

void crebind_packed_begin(struct crebind_packed_walk *walk, const struct crebind_packed *packed) {
  memset(walk, 0, sizeof *walk);
  walk->is_rela = packed->is_rela;
  if (packed->data == NULL) return;
  walk->next = packed->data;
  walk->end = packed->data + packed->size;
  static const uint8_t magic[] = {'A', 'P', 'S', '2'};
  for (size_t i = 0; i < sizeof magic; i++)
    if (i >= packed->size || packed->data[i] != magic[i]) {
      walk->is_broken = true;
      return;
    }
  walk->next += sizeof magic;
  walk->left = next_number(walk);
  walk->entry.r_offset = (ElfW(Addr))next_number(walk);
  if (walk->is_broken) walk->left = 0;
}

/// Begins a group; false if it contradicts the table.
static bool begin_group(struct crebind_packed_walk *walk) {
  walk->left_in_group = next_number(walk);
  walk->flags = next_number(walk);
  if (walk->left_in_group > walk->left || (walk->flags & ~(uint64_t)ALL_FLAGS) != 0
      || (!walk->is_rela && (walk->flags & HAS_ADDEND) != 0))
    return false;
  if ((walk->flags & SAME_DISTANCE) != 0) walk->distance = next_number(walk);
  if ((walk->flags & SAME_INFO) != 0)
    walk->entry.r_info = (__typeof__(walk->entry.r_info))next_number(walk);
  if ((walk->flags & HAS_ADDEND) == 0)
    walk->entry.r_addend = 0;
  else if ((walk->flags & SAME_ADDEND) != 0)
    walk->entry.r_addend += (__typeof__(walk->entry.r_addend))next_number(walk);
  return !walk->is_broken;
}

const ElfW(Rela) * crebind_packed_next(struct crebind_packed_walk *walk) {
  // A group may be empty.
  while (walk->left > 0 && walk->left_in_group == 0)
    if (!begin_group(walk)) {
      walk->is_broken = true;
      walk->left = 0;
    }
  if (walk->left == 0) return NULL;
  walk->left--;
  walk->left_in_group--;
  walk->entry.r_offset +=
      (ElfW(Addr))((walk->flags & SAME_DISTANCE) != 0 ? walk->distance : next_number(walk));
  if ((walk->flags & SAME_INFO) == 0)
    walk->entry.r_info = (__typeof__(walk->entry.r_info))next_number(walk);
  if ((walk->flags & (HAS_ADDEND | SAME_ADDEND)) == HAS_ADDEND)
    walk->entry.r_addend += (__typeof__(walk->entry.r_addend))next_number(walk);
  if (!walk->is_broken) return &walk->entry;
  walk->left = 0;
  return NULL;
}

bool crebind_packed_is_sound(const struct crebind_packed *packed, size_t room) {
  struct crebind_packed_walk walk;
  crebind_packed_begin(&walk, packed);
  if (walk.left > room) return false;
  while (crebind_packed_next(&walk) != NULL) continue;
  return !walk.is_broken;
}
