#if defined(__linux__)
#define _GNU_SOURCE
#include "world/portrait.h"
#include "elf/note.h"

void crebind_portraits_begin(struct crebind_portraits *portraits) {
  *portraits = (struct crebind_portraits){CREBIND_VECTOR(struct crebind_portrait),
                                          CREBIND_VECTOR(char), {0, 0}};
}

void crebind_portraits_end(struct crebind_portraits *portraits) {
  crebind_vector_free(&portraits->items);
  crebind_vector_free(&portraits->bytes);
}

/// The offset of a copy, aligned for anything; SIZE_MAX without memory.
static size_t add_bytes(struct crebind_portraits *portraits, const void *bytes, size_t size) {
  size_t padding = -portraits->bytes.count % 8, offset = portraits->bytes.count + padding;
  char *copy = crebind_vector_append(&portraits->bytes, padding + size);
  if (copy == NULL) return SIZE_MAX;
  if (size != 0) memcpy(copy + padding, bytes, size);
  return offset;
}

static bool has_text_relocations(const struct crebind_image *image) {
  size_t size = image->dynamic_count * sizeof(ElfW(Dyn));
  if (image->dynamic == NULL
      || !crebind_image_can_read(image, (uintptr_t)image->dynamic, size))
    return false;
  for (size_t i = 0; i < image->dynamic_count && image->dynamic[i].d_tag != DT_NULL; i++) {
    const ElfW(Dyn) *entry = &image->dynamic[i];
    if (entry->d_tag == DT_TEXTREL
        || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0))
      return true;
  }
  return false;
}

/// The symbols that the hash table counts: those are the definitions.
static struct crebind_range symbols_of(const struct crebind_dynamic *dynamic) {
  uintptr_t start = (uintptr_t)dynamic->symbols;
  size_t count = crebind_symbol_count(dynamic);
  if (start == 0 || count > dynamic->symbol_limit) return (struct crebind_range){0, 0};
  return (struct crebind_range){start, start + count * sizeof(ElfW(Sym))};
}

bool crebind_portraits_add(struct crebind_portraits *portraits,
                           const struct crebind_world *world, size_t index) {
  const struct crebind_image *image = crebind_world_image(world, index);
  struct crebind_portrait *portrait = crebind_vector_append(&portraits->items, 1);
  if (portrait == NULL) return false;
  portraits->counts = world->images.counts;
  portrait->known = crebind_world_known(world, index);
  const struct crebind_known_image *known = crebind_known_image_at(portrait->known);
  portrait->serial = known->serial;
  portrait->bias = image->bias;
  portrait->header = image->header;
  portrait->is_main = image->is_main;
  portrait->is_vdso = image->is_vdso;
  portrait->is_overwritten = known->fingerprint != crebind_image_fingerprint(image);
  portrait->has_text_relocations = has_text_relocations(image);
  portrait->symbols = symbols_of(crebind_world_dynamic(world, index));
  if (image->header != 0
      && crebind_image_can_read(image, image->header, sizeof portrait->elf_header)) {
    portrait->elf_header = *(const ElfW(Ehdr) *)image->header;
    portrait->has_elf_header = true;
  }
  const char *path = crebind_image_path(&world->images, image);
  const uint8_t *build_id = crebind_note_build_id(image, &portrait->build_id_size);
  portrait->path = add_bytes(portraits, path, crebind_length(path) + 1);
  portrait->phnum = image->phnum;
  portrait->phdr = add_bytes(portraits, image->phdr, image->phnum * sizeof *image->phdr);
  portrait->build_id = add_bytes(portraits, build_id, portrait->build_id_size);
  return portrait->path != SIZE_MAX && portrait->phdr != SIZE_MAX
         && portrait->build_id != SIZE_MAX;
}
#endif
