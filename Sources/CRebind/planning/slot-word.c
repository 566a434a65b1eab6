#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/slot-word.h"

bool crebind_is_unresolved(const struct crebind_image *image, const struct crebind_slot *slot,
                           uintptr_t word) {
  if (slot->kind != CREBIND_JUMP_SLOT) return false;
  const ElfW(Phdr) *segment = crebind_image_segment(image, word, 1);
  if (segment == NULL || (segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X)) return false;
  size_t room = image->bias + segment->p_vaddr + segment->p_memsz - word;
  return crebind_is_lazy_stub((const uint8_t *)word, room, slot->index);
}

uintptr_t crebind_bypass_of_marked(const struct crebind_image *image,
                                   const struct crebind_slot *slot) {
  uintptr_t entry = image->bias + (uintptr_t)slot->addend;
  const ElfW(Phdr) *segment = crebind_image_segment(image, entry, 1);
  if (segment == NULL || (segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X)) return 0;
  return crebind_direct_jump((const uint8_t *)entry,
                             image->bias + segment->p_vaddr + segment->p_memsz - entry);
}

bool crebind_is_local_entry(const struct crebind_image *image, uintptr_t word) {
  return CREBIND_HAS_LOCAL_ENTRIES && crebind_image_segment(image, word, 1) != NULL;
}

bool crebind_find_own_function(const struct crebind_image *image,
                               const struct crebind_dynamic *dynamic,
                               const struct crebind_name *name, uintptr_t *word) {
  if (!CREBIND_HAS_LOCAL_ENTRIES || crebind_image_segment(image, *word, 1) == NULL) return true;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;) {
    const ElfW(Sym) *symbol = crebind_symbol(dynamic, i);
    // The value of an IFUNC is its resolver's, and the slot holds what that has chosen.
    if (!crebind_is_exported_function(symbol) || (symbol->st_info & 0xf) == STT_GNU_IFUNC) continue;
    uintptr_t function = image->bias + symbol->st_value;
    uintptr_t distance = *word - function;
    if (distance != 0 && distance != crebind_local_entry_distance(symbol->st_other)) continue;
    *word = function;
    return true;
  }
  return false;
}

uintptr_t crebind_canonical_plt_entry(const struct crebind_world *world,
                                      const struct crebind_name *name) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, 0);
  if (crebind_world_image(world, 0)->bias != 0) return 0;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;) {
    const ElfW(Sym) *symbol = &dynamic->symbols[i];
    if (symbol->st_shndx == SHN_UNDEF && symbol->st_value != 0)
      return crebind_world_image(world, 0)->bias + symbol->st_value;
  }
  return 0;
}

bool crebind_is_exported_function(const ElfW(Sym) * symbol) {
  unsigned type = symbol->st_info & 0xf, binding = symbol->st_info >> 4;
  unsigned visibility = symbol->st_other & 3;
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_value != 0
         && (type == STT_FUNC || type == STT_GNU_IFUNC) && binding != STB_LOCAL
         && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}
#endif
