#define _GNU_SOURCE
#include "plan.h"

/// The state of one walk over an image's slots.
struct walk {
  struct crebind_plan *plan;
  size_t image_index;
  const struct crebind_image *image;
  const struct crebind_dynamic *dynamic;
};

/// True if a jump slot's word still leads into its own image's PLT.
static bool is_unresolved(const struct walk *walk, const struct crebind_slot *slot,
                          uintptr_t word) {
  if (slot->kind != CREBIND_JUMP_SLOT) return false;
  const ElfW(Phdr) *segment = crebind_image_segment(walk->image, word, 1);
  if (segment == NULL || (segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X)) return false;
  size_t room = walk->image->bias + segment->p_vaddr + segment->p_memsz - word;
  return crebind_is_lazy_stub((const uint8_t *)word, room, slot->index);
}

/// True if the word is a link-time address still: the loader has mapped the
/// image, but not relocated it.
static bool is_unrelocated(const struct walk *walk, uintptr_t word) {
  const struct crebind_image *image = walk->image;
  return image->bias != 0 && word != 0 && word < image->span.start
         && word < image->span.end - image->span.start
         && crebind_image_segment(image, image->bias + word, 1) != NULL;
}

/// The address of a non-PIE executable's canonical PLT entry for the name, which
/// stands for the function wherever its address is taken; 0 if there is none.
static uintptr_t canonical_plt_entry(const struct crebind_plan *plan,
                                     const struct crebind_name *name) {
  const struct crebind_dynamic *dynamic = crebind_vector_at(&plan->dynamics, 0);
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name->string, name->length, name->gnu_hash);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;) {
    const ElfW(Sym) *symbol = &dynamic->symbols[i];
    if (symbol->st_shndx == SHN_UNDEF && symbol->st_value != 0)
      return crebind_image_at(plan->images, 0)->bias + symbol->st_value;
  }
  return 0;
}

/// The function that the loader would bind the slot's symbol to, 0 for none.
static crebind_status resolve(const struct walk *walk, const struct crebind_slot *slot,
                              const struct crebind_name *name, uintptr_t *function) {
  struct crebind_plan *plan = walk->plan;
  struct crebind_reference reference = {
      name->string, name->length, name->gnu_hash,
      crebind_symbol_version(walk->image, walk->dynamic, slot->symbol).name, false};
  struct crebind_definition definition;
  crebind_status status =
      crebind_scopes_lookup(&plan->scopes, walk->image_index, &reference, &definition);
  *function = crebind_definition_address(&plan->scopes, definition);
  return status;
}

static crebind_status visit(void *context, const struct crebind_slot *slot, uint32_t name_index) {
  const struct walk *walk = context;
  struct crebind_plan *plan = walk->plan;
  const struct crebind_name *name = &plan->names->items[name_index];
  uintptr_t replacement = plan->replacements[name_index];

  if (crebind_image_segment(walk->image, slot->address, sizeof(uintptr_t)) == NULL) {
    plan->broken_image = walk->image_index;
    plan->broken_tag = DT_RELA;
    return CREBIND_BROKEN_IMAGE;
  }
  if (slot->address % sizeof(uintptr_t) != 0) {
    plan->skipped++;
    return CREBIND_OK;
  }
  uintptr_t word = __atomic_load_n((const uintptr_t *)slot->address, __ATOMIC_ACQUIRE);
  uintptr_t value = replacement + (uintptr_t)slot->addend;
  if (word == value) {
    plan->unchanged++;
    return CREBIND_OK;
  }
  if (is_unrelocated(walk, word)) return CREBIND_BUSY;

  uintptr_t target = word - (uintptr_t)slot->addend, original = target;
  bool is_lazy = false;
  if (!plan->is_replacement(name->string, target)) {
    uintptr_t canonical = canonical_plt_entry(plan, name);
    is_lazy = is_unresolved(walk, slot, word);
    if (is_lazy || slot->kind == CREBIND_ABSOLUTE || target == canonical) {
      crebind_status status = resolve(walk, slot, name, &original);
      if (status != CREBIND_OK) return status;
    }
    // Data that has been assigned since is the program's, not the loader's.
    if (slot->kind == CREBIND_ABSOLUTE && target != original && target != canonical) {
      plan->skipped++;
      return CREBIND_OK;
    }
  }
  // A weak reference that nothing defines: the program asks for NULL before it
  // calls, and there is no original to give.
  if (original == 0) {
    plan->skipped++;
    return CREBIND_OK;
  }
  struct crebind_entry *entry = crebind_vector_append(&plan->entries, 1);
  if (entry == NULL) return CREBIND_OUT_OF_MEMORY;
  *entry = (struct crebind_entry){
      .address = slot->address,
      .previous = word,
      .original = original,
      .value = value,
      .rebinding = name_index,
      .image = (uint32_t)walk->image_index,
      .symbol = slot->symbol,
      .kind = (uint8_t)slot->kind,
      .is_lazy = is_lazy,
  };
  return CREBIND_OK;
}

static crebind_status decode_images(struct crebind_plan *plan) {
  size_t count = plan->images->items.count;
  if (crebind_vector_append(&plan->dynamics, count) == NULL) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    crebind_status status =
        crebind_dynamic_decode(crebind_image_at(plan->images, i),
                               crebind_vector_at(&plan->dynamics, i), &plan->broken_tag);
    if (status == CREBIND_OK) continue;
    plan->broken_image = i;
    return status;
  }
  return CREBIND_OK;
}

crebind_status crebind_plan_make(struct crebind_plan *plan) {
  plan->dynamics = CREBIND_VECTOR(struct crebind_dynamic);
  plan->entries = CREBIND_VECTOR(struct crebind_entry);
  plan->unchanged = plan->skipped = 0;
  plan->broken_image = SIZE_MAX;
  plan->broken_tag = 0;
  crebind_scopes_begin(&plan->scopes, plan->images, NULL);
  crebind_status status = decode_images(plan);
  plan->scopes.dynamics = (const struct crebind_dynamic *)plan->dynamics.data;

  struct crebind_slot_scan scan;
  crebind_slot_scan_begin(&scan);
  for (size_t i = 0; i < plan->images->items.count && status == CREBIND_OK; i++) {
    const struct crebind_image *image = crebind_image_at(plan->images, i);
    if (image->is_vdso || image->is_loader) continue;
    if (plan->only_image != SIZE_MAX && plan->only_image != i) continue;
    struct walk walk = {plan, i, image, crebind_vector_at(&plan->dynamics, i)};
    status = crebind_slot_scan_match(&scan, walk.dynamic, plan->names);
    if (status == CREBIND_OK)
      status = crebind_slot_scan_visit(&scan, image, walk.dynamic, plan->slot_kinds, visit, &walk);
  }
  crebind_slot_scan_end(&scan);
  return status;
}

void crebind_plan_free(struct crebind_plan *plan) {
  crebind_vector_free(&plan->dynamics);
  crebind_vector_free(&plan->entries);
  crebind_scopes_end(&plan->scopes);
}
