#if defined(__linux__)
#define _GNU_SOURCE
#include "world/gather.h"

void crebind_strings_begin(struct crebind_strings *strings) {
  *strings = (struct crebind_strings){CREBIND_VECTOR(char), false};
}

bool crebind_strings_have_taken(struct crebind_strings *strings) {
  bool have_taken = !strings->lacks_memory;
  strings->lacks_memory = false;
  return have_taken;
}

size_t crebind_strings_add(struct crebind_strings *strings, const char *string) {
  if (string == NULL || string[0] == 0) return 0;
  // Offset 0 stays free.
  size_t offset = SIZE_MAX;
  if (strings->bytes.count != 0 || crebind_vector_append(&strings->bytes, 1) != NULL)
    offset = crebind_vector_append_string(&strings->bytes, string);
  if (offset != SIZE_MAX) return offset;
  strings->lacks_memory = true;
  return 0;
}

struct crebind_gathered_image crebind_gather_image(struct crebind_strings *strings,
                                                   const struct crebind_world *world,
                                                   size_t index) {
  if (index == SIZE_MAX) return (struct crebind_gathered_image){0, 0, 0, 0};
  crebind_image_info info = crebind_world_info(world, index);
  return (struct crebind_gathered_image){(uintptr_t)info.header, (uintptr_t)info.slide,
                                         crebind_strings_add(strings, info.path),
                                         crebind_strings_add(strings, info.soname)};
}

crebind_image_info crebind_image_of(const struct crebind_strings *strings,
                                    const struct crebind_gathered_image *image) {
  return (crebind_image_info){
      .path = crebind_strings_at(strings, image->path),
      .soname = crebind_strings_at(strings, image->soname),
      .header = (const void *)image->header,
      .slide = (intptr_t)image->slide,
  };
}

struct crebind_gathered_slot crebind_gather_slot(struct crebind_strings *strings,
                                                 const struct crebind_world *world,
                                                 const struct crebind_entry *entry) {
  size_t index = crebind_known_image_at(entry->image)->index;
  const struct crebind_image *image = crebind_world_image(world, index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, entry->symbol);
  struct crebind_gathered_slot slot = {
      .image = crebind_gather_image(strings, world, index),
      .item = entry->item,
      .address = entry->address,
      .current = crebind_load_word(entry->address),
      .value = entry->value,
      .original = entry->original,
      .kind = (crebind_slot_kind)entry->kind,
      .is_lazy = entry->is_lazy,
      .is_relro = entry->address >= image->relro.start && entry->address < image->relro.end,
  };
  if (symbol != NULL)
    slot.symbol = crebind_strings_add(strings, crebind_dynamic_string(dynamic, symbol->st_name));
  slot.version =
      crebind_strings_add(strings, crebind_symbol_version(image, dynamic, entry->symbol).name);
  return slot;
}

crebind_slot_info crebind_slot_of(const struct crebind_strings *strings,
                                  const struct crebind_gathered_slot *slot) {
  return (crebind_slot_info){
      .image = crebind_image_of(strings, &slot->image),
      .rebinding = slot->item,
      .symbol = crebind_strings_at(strings, slot->symbol),
      .version = slot->version == 0 ? NULL : crebind_strings_at(strings, slot->version),
      .address = slot->address,
      .kind = slot->kind,
      .current = slot->current,
      .value = slot->value,
      .original = (void *)slot->original,
      .is_lazy = slot->is_lazy,
      .is_relro = slot->is_relro,
  };
}
#endif
