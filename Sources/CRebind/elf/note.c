#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/note.h"

// MARK: - Walk

void crebind_note_walk_begin(struct crebind_note_walk *walk, const struct crebind_image *image) {
  *walk = (struct crebind_note_walk){image, 0, NULL, 0, 0, 4};
}

/// Goes to the next segment of notes that can be read.
static bool next_segment(struct crebind_note_walk *walk) {
  while (walk->segment < walk->image->phnum) {
    const ElfW(Phdr) *segment = &walk->image->phdr[walk->segment++];
    if (segment->p_type != PT_NOTE) continue;
    uintptr_t notes = walk->image->bias + segment->p_vaddr;
    if (notes % sizeof(uint32_t) != 0
        || !crebind_image_can_read(walk->image, notes, segment->p_memsz))
      continue;
    walk->rest = (const char *)notes;
    walk->size = segment->p_memsz;
    walk->offset = 0;
    // Notes are aligned to 4 bytes, but for those of a segment that says 8.
    walk->alignment = segment->p_align == 8 ? 8 : 4;
    return true;
  }
  return false;
}

/// Moves past `size` bytes and the padding behind them; false if fewer are left.
static bool skip(struct crebind_note_walk *walk, size_t size) {
  if (size > walk->size - walk->offset) return false;
  size_t end = walk->offset + size, mask = walk->alignment - 1;
  // The last one need not be padded.
  walk->offset = walk->size - end < (-end & mask) ? walk->size : end + (-end & mask);
  return true;
}

bool crebind_note_walk_next(struct crebind_note_walk *walk, struct crebind_note *note) {
  while (true) {
    if (walk->size - walk->offset < sizeof(ElfW(Nhdr))) {
      if (!next_segment(walk)) return false;
      continue;
    }
    const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)(walk->rest + walk->offset);
    walk->offset += sizeof *header;
    size_t owner = walk->offset, owner_size = header->n_namesz;
    if (skip(walk, owner_size)) {
      size_t description = walk->offset, size = header->n_descsz;
      if (skip(walk, size)) {
        *note = (struct crebind_note){header->n_type, walk->rest + owner, owner_size,
                                      walk->rest + description, size};
        return true;
      }
    }
    walk->offset = walk->size;
  }
}

/// True for a note of this owner and type.
static bool is_note(const struct crebind_note *note, const char *owner, uint32_t type) {
  // The comparison ends at the zero byte, which is the last one of the right size.
  return note->type == type && note->owner_size == crebind_length(owner) + 1
         && note->owner[note->owner_size - 1] == 0 && crebind_equal(note->owner, owner);
}

const uint8_t *crebind_note_build_id(const struct crebind_image *image, size_t *size) {
  struct crebind_note_walk walk;
  struct crebind_note note;
  crebind_note_walk_begin(&walk, image);
  while (crebind_note_walk_next(&walk, &note)) {
    if (!is_note(&note, "GNU", NT_GNU_BUILD_ID) || note.size == 0) continue;
    *size = note.size;
    return (const uint8_t *)note.description;
  }
  *size = 0;
  return NULL;
}

// MARK: - Ours

/// The address that the self-relative word at an offset of the description means.
static uintptr_t target(const struct crebind_note *note, size_t offset) {
  uintptr_t distance;
  memcpy(&distance, note->description + offset, sizeof distance);
  return (uintptr_t)(note->description + offset) + distance;
}

bool crebind_note_section(const struct crebind_image *image, const struct crebind_note *note,
                          struct crebind_noted_section *section) {
  const size_t words = 2 * sizeof(uintptr_t);
  if (!is_note(note, CREBIND_NOTE_OWNER, CREBIND_NT_SECTION) || note->size <= words
      || note->description[note->size - 1] != 0)
    return false;
  *section = (struct crebind_noted_section){
      .range = {target(note, 0), target(note, sizeof(uintptr_t))},
      .name = note->description + words,
  };
  if (section->range.start == section->range.end) return true;
  if (section->range.start < section->range.end)
    section->segment = crebind_image_segment(image, section->range.start,
                                             section->range.end - section->range.start);
  if (section->segment != NULL && (section->segment->p_flags & PF_R) == 0)
    section->segment = NULL;
  section->is_broken = section->segment == NULL;
  return true;
}

bool crebind_image_has_copy(const struct crebind_image *image) {
  struct crebind_note_walk walk;
  struct crebind_note note;
  crebind_note_walk_begin(&walk, image);
  while (crebind_note_walk_next(&walk, &note))
    if (is_note(&note, CREBIND_NOTE_OWNER, CREBIND_NT_LISTENER)
        && note.size >= sizeof(uintptr_t)
        && crebind_image_can_read(image, target(&note, 0), sizeof(uintptr_t)))
      return true;
  return false;
}

// MARK: - Fingerprint

static uint64_t mix_word(uint64_t hash, uintptr_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
  const char *at = bytes, *end = at + size;
  uintptr_t rest = 0;
  for (; (size_t)(end - at) >= sizeof rest; at += sizeof rest)
    hash = mix_word(hash, ((const struct crebind_word *)at)->value);
  if (at == end) return hash;
  memcpy(&rest, at, (size_t)(end - at));
  return mix_word(hash, rest);
}

uint32_t crebind_note_property(const struct crebind_image *image, uint32_t type) {
  enum { PROPERTIES = 5, HEADER = 2 * sizeof(uint32_t) };
  struct crebind_note_walk walk;
  crebind_note_walk_begin(&walk, image);
  for (struct crebind_note note; crebind_note_walk_next(&walk, &note);) {
    if (!is_note(&note, "GNU", PROPERTIES)) continue;
    for (size_t at = 0; at <= note.size && note.size - at >= HEADER;) {
      const uint32_t *property = (const uint32_t *)(note.description + at);
      size_t size = property[1];
      if (size > note.size - at - HEADER) break;
      if (property[0] == type && size == sizeof *property) return property[2];
      at += HEADER + ((size + sizeof(ElfW(Addr)) - 1) & ~(sizeof(ElfW(Addr)) - 1));
    }
  }
  return 0;
}

uint64_t crebind_image_fingerprint(const struct crebind_image *image) {
  uint64_t hash = mix(image->phnum, image->phdr, image->phnum * sizeof *image->phdr);
  if (image->header != 0 && crebind_image_can_read(image, image->header, sizeof(ElfW(Ehdr))))
    hash = mix(hash, (const void *)image->header, sizeof(ElfW(Ehdr)));
  size_t size;
  const uint8_t *build_id = crebind_note_build_id(image, &size);
  return build_id == NULL ? hash : mix(hash, build_id, size);
}
#endif
