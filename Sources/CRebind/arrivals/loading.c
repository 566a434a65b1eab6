#if defined(__linux__)
#define _GNU_SOURCE
#include "arrivals/loading.h"
#include "patching/patch.h"

struct unfinished_image {
  uint32_t known;
  uint64_t serial;
};

void crebind_unfinished_begin(struct crebind_unfinished *unfinished) {
  *unfinished = (struct crebind_unfinished){CREBIND_VECTOR(struct unfinished_image), false};
}

void crebind_unfinished_end(struct crebind_unfinished *unfinished) {
  crebind_vector_free(&unfinished->images);
}

// MARK: - One image

/// The state of the image, as one slot shows it. The slot of a weak symbol may be 0 for ever, and a
/// word in data may have been assigned since.
enum verdict { UNKNOWN, UNRELOCATED, RELOCATED };

static enum verdict look_at_slot(const struct crebind_image *image,
                                 const struct crebind_dynamic *dynamic, const ElfW(Rel) * rel) {
  uint32_t type = (uint32_t)CREBIND_R_TYPE(rel->r_info);
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, CREBIND_R_SYM(rel->r_info));
  uintptr_t address = image->bias + rel->r_offset;
  if ((type != CREBIND_R_JUMP_SLOT && type != CREBIND_R_GLOB_DAT) || symbol == NULL
      || symbol->st_info >> 4 == STB_WEAK || address % sizeof(uintptr_t) != 0
      || crebind_image_segment(image, address, sizeof(uintptr_t)) == NULL)
    return UNKNOWN;
  uintptr_t word = crebind_load_word(address);
  return word == 0 || crebind_image_is_link_time(image, word) ? UNRELOCATED : RELOCATED;
}

/// Looks at the slots, beginning with the last one, which the loader fills last.
static enum verdict look_at_slots(const struct crebind_image *image,
                                  const struct crebind_dynamic *dynamic) {
  if (image->bias == 0) return RELOCATED;
  for (size_t t = 3; t-- > 0;) {
    const struct crebind_relocations *table = &dynamic->relocations[t];
    size_t stride = table->is_rela ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
    for (size_t i = table->count; i-- > table->relative_count;) {
      enum verdict verdict =
          look_at_slot(image, dynamic, (const ElfW(Rel) *)(table->data + i * stride));
      if (verdict != UNKNOWN) return verdict;
    }
  }
  return UNKNOWN;
}

static bool is_relocated(const struct crebind_world *world, size_t index) {
#ifndef __GLIBC__
  // musl lists no image before it is relocated.
  return true;
#endif
  const struct crebind_image *image = crebind_world_image(world, index);
  if (image->is_main || image->is_vdso || image->is_interpreter) return true;
  if (image->relro.start < image->relro.end) return !crebind_patch_is_open(image);
  return look_at_slots(image, crebind_world_dynamic(world, index)) != UNRELOCATED;
}

bool crebind_loading_is_done(struct crebind_world *world, size_t index) {
  if (is_relocated(world, index)) return true;
  const struct crebind_image *image = crebind_world_image(world, index);
  if (look_at_slots(image, crebind_world_dynamic(world, index)) == RELOCATED) return true;
  bool may_be_unloaded;
  return crebind_scopes_may_be_unloaded(&world->scopes, index, &may_be_unloaded) == CREBIND_OK
         && !may_be_unloaded;
}

// MARK: - All images

/// For each known image, whether the loader is done with it.
static struct crebind_known_table done = CREBIND_KNOWN_TABLE(bool);

static bool *is_done(size_t known) { return crebind_known_row(&done, known); }

/// After an image has gone, another one of its name may have taken its place.
static void forget_after_unloading(const struct crebind_world *world) {
  static struct crebind_counts counts;
  bool may_be_others = crebind_images_may_be_others(&world->images, counts);
  counts = world->images.counts;
  for (size_t i = 0; may_be_others && i < crebind_known_count(); i++) *is_done(i) = false;
}

static void accept_awaited(struct crebind_unfinished *unfinished) {
  if (!unfinished->was_awaited) return;
  for (size_t i = 0; i < unfinished->images.count; i++) {
    const struct unfinished_image *image = crebind_vector_at(&unfinished->images, i);
    if (crebind_known_image_at(image->known)->serial == image->serial)
      *is_done(image->known) = true;
  }
}

crebind_status crebind_loading_check(struct crebind_world *world,
                                     struct crebind_unfinished *unfinished) {
  if (!crebind_known_attach(&done)) return CREBIND_OUT_OF_MEMORY;
  forget_after_unloading(world);
  accept_awaited(unfinished);
  crebind_vector_truncate(&unfinished->images, 0);
  unfinished->was_awaited = false;
  for (size_t i = 0; i < world->images.items.count; i++) {
    uint32_t index = crebind_world_known(world, i);
    if (!*is_done(index)) *is_done(index) = is_relocated(world, i);
    if (*is_done(index)) continue;
    // Images that were loaded before the program started were relocated before, too.
    bool may_be_unloaded;
    crebind_status status = crebind_scopes_may_be_unloaded(&world->scopes, i, &may_be_unloaded);
    if (status != CREBIND_OK) return status;
    *is_done(index) = !may_be_unloaded;
    if (*is_done(index)) continue;
    struct unfinished_image *image = crebind_vector_append(&unfinished->images, 1);
    if (image == NULL) return CREBIND_OUT_OF_MEMORY;
    *image = (struct unfinished_image){index, crebind_known_image_at(index)->serial};
  }
  return unfinished->images.count == 0 ? CREBIND_OK : CREBIND_BUSY;
}

void crebind_unfinished_note_awaited(struct crebind_unfinished *unfinished) {
  unfinished->was_awaited = true;
}
#endif
