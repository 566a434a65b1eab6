/// The images as their headers describe them.

#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/note.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "transactions/attempt.h"
#include "world/gather.h"
#include "world/look.h"

// musl's header is older than the tag.
#ifndef DT_RELR
#define DT_RELR 36
#endif

/// An image's description; strings and arrays are offsets.
struct gathered {
  struct crebind_gathered_image image;
  uintptr_t dynamic;
  uint64_t generation;
  int64_t broken_tag;
  size_t first_segment, segment_count, first_entry, entry_count, build_id, build_id_size;
  uint16_t type, machine;
  bool is_main, is_vdso, is_loader;
};

struct gathering {
  struct crebind_vector images;         // struct gathered
  struct crebind_vector segments;       // crebind_segment
  struct crebind_vector entries;        // crebind_dynamic_entry
  struct crebind_vector entry_strings;  // size_t, by entry; SIZE_MAX for none
  struct crebind_vector bytes;          // uint8_t, of build-ids
  struct crebind_strings strings;
};


// MARK: - Headers

static void gather_elf_header(const struct crebind_image *image, struct gathered *gathered) {
  if (image->header == 0
      || !crebind_image_can_read(image, image->header, sizeof(ElfW(Ehdr))))
    return;
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image->header;
  if (header->e_ident[EI_MAG0] != ELFMAG0 || header->e_ident[EI_MAG1] != ELFMAG1) return;
  gathered->type = header->e_type;
  gathered->machine = header->e_machine;
}

static bool gather_segments(struct gathering *gathering, const struct crebind_image *image,
                            struct gathered *gathered) {
  gathered->first_segment = gathering->segments.count;
  gathered->segment_count = image->phnum;
  crebind_segment *segments = crebind_vector_append(&gathering->segments, image->phnum);
  if (segments == NULL) return image->phnum == 0;
  for (size_t i = 0; i < image->phnum; i++) {
    const ElfW(Phdr) *header = &image->phdr[i];
    segments[i] = (crebind_segment){
        header->p_type,   header->p_flags,  header->p_offset, header->p_vaddr,
        header->p_filesz, header->p_memsz, header->p_align,
    };
  }
  return true;
}

// MARK: - Dynamic table

static bool is_string(int64_t tag) {
  switch (tag) {
  case DT_NEEDED:
  case DT_SONAME:
  case DT_RPATH:
  case DT_RUNPATH:
  case DT_CONFIG:
  case DT_DEPAUDIT:
  case DT_AUDIT:
  case DT_AUXILIARY:
  case DT_FILTER: return true;
  default: return false;
  }
}

/// True for the tags to whose address glibc adds the load bias, in place.
static bool is_relocated(int64_t tag) {
  switch (tag) {
  case DT_PLTGOT:
  case DT_HASH:
  case DT_STRTAB:
  case DT_SYMTAB:
  case DT_RELA:
  case DT_REL:
  case DT_JMPREL:
  case DT_RELR:
  case DT_VERSYM:
  case DT_GNU_HASH: return true;
  default: return false;
  }
}

static bool gather_dynamic(struct gathering *gathering, const struct crebind_image *image,
                           const struct crebind_dynamic *dynamic, struct gathered *gathered) {
  gathered->first_entry = gathering->entries.count;
  size_t size = image->dynamic_count * sizeof(ElfW(Dyn));
  if (image->dynamic == NULL
      || !crebind_image_can_read(image, (uintptr_t)image->dynamic, size))
    return true;
  for (size_t i = 0; i < image->dynamic_count && image->dynamic[i].d_tag != DT_NULL; i++) {
    int64_t tag = image->dynamic[i].d_tag;
    ElfW(Addr) value = image->dynamic[i].d_un.d_ptr;
    crebind_dynamic_entry *entry = crebind_vector_append(&gathering->entries, 1);
    size_t *string = crebind_vector_append(&gathering->entry_strings, 1);
    if (entry == NULL || string == NULL) return false;
    const char *text = is_string(tag) ? crebind_dynamic_string(dynamic, value) : NULL;
    *string = text != NULL ? crebind_strings_add(&gathering->strings, text) : SIZE_MAX;
    if (is_relocated(tag) && crebind_image_segment(image, value, 1) != NULL) value -= image->bias;
    *entry = (crebind_dynamic_entry){tag, value, NULL};
    gathered->entry_count++;
  }
  return true;
}

// MARK: - Build-id

static bool gather_build_id(struct gathering *gathering, const struct crebind_image *image,
                            struct gathered *gathered) {
  size_t size;
  const uint8_t *build_id = crebind_note_build_id(image, &size);
  if (build_id == NULL) return true;
  gathered->build_id = gathering->bytes.count;
  gathered->build_id_size = size;
  uint8_t *bytes = crebind_vector_append(&gathering->bytes, size);
  if (bytes != NULL) memcpy(bytes, build_id, size);
  return bytes != NULL;
}

// MARK: - Visiting

static crebind_status gather(struct crebind_look *look, void *context) {
  struct gathering *gathering = context;
  struct crebind_world *world = &look->world;
  crebind_vector_truncate(&gathering->images, 0);
  crebind_vector_truncate(&gathering->segments, 0);
  crebind_vector_truncate(&gathering->entries, 0);
  crebind_vector_truncate(&gathering->entry_strings, 0);
  crebind_vector_truncate(&gathering->bytes, 0);
  for (size_t i = 0; i < world->images.items.count; i++) {
    const struct crebind_image *image = crebind_world_image(world, i);
    struct gathered *gathered = crebind_vector_append(&gathering->images, 1);
    if (gathered == NULL) return CREBIND_OUT_OF_MEMORY;
    *gathered = (struct gathered){
        .image = crebind_gather_image(&gathering->strings, world, i),
        .dynamic = (uintptr_t)image->dynamic,
        .generation = crebind_known_image_at(crebind_world_known(world, i))->generation,
        .broken_tag = *(const int64_t *)crebind_vector_at(&world->broken_tags, i),
        .is_main = image->is_main,
        .is_vdso = image->is_vdso,
        .is_loader = image->is_loader,
    };
    gather_elf_header(image, gathered);
    if (!gather_segments(gathering, image, gathered)
        || !gather_dynamic(gathering, image, crebind_world_dynamic(world, i), gathered)
        || !gather_build_id(gathering, image, gathered))
      return CREBIND_OUT_OF_MEMORY;
  }
  return gathering->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

static void visit_gathered(const struct gathering *gathering, const struct gathered *gathered,
                           crebind_image_visitor *visit, void *context) {
  crebind_dynamic_entry *entries = NULL;
  if (gathered->entry_count != 0)
    entries = crebind_vector_at(&gathering->entries, gathered->first_entry);
  for (size_t i = 0; i < gathered->entry_count; i++) {
    size_t string =
        *(size_t *)crebind_vector_at(&gathering->entry_strings, gathered->first_entry + i);
    if (string != SIZE_MAX) entries[i].string = crebind_strings_at(&gathering->strings, string);
  }
  const crebind_image_contents contents = {
      .info = crebind_image_of(&gathering->strings, &gathered->image),
      .dynamic = gathered->dynamic,
      .generation = gathered->generation,
      .type = gathered->type,
      .machine = gathered->machine,
      .is_main = gathered->is_main,
      .is_vdso = gathered->is_vdso,
      .is_loader = gathered->is_loader,
      .segments = crebind_vector_at(&gathering->segments, gathered->first_segment),
      .segment_count = gathered->segment_count,
      .dynamic_entries = entries,
      .dynamic_entry_count = gathered->entry_count,
      .build_id = gathered->build_id_size != 0
                      ? crebind_vector_at(&gathering->bytes, gathered->build_id)
                      : NULL,
      .build_id_size = gathered->build_id_size,
      .broken_tag = gathered->broken_tag,
  };
  visit(&contents, context);
}

crebind_status crebind_images(crebind_image_visitor *visit, void *context,
                              crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct gathering gathering = {
      .images = CREBIND_VECTOR(struct gathered),
      .segments = CREBIND_VECTOR(crebind_segment),
      .entries = CREBIND_VECTOR(crebind_dynamic_entry),
      .entry_strings = CREBIND_VECTOR(size_t),
      .bytes = CREBIND_VECTOR(uint8_t),
  };
  crebind_strings_begin(&gathering.strings);
  crebind_status status = crebind_look(gather, &gathering, error);
  for (size_t i = 0; i < gathering.images.count && status == CREBIND_OK; i++)
    visit_gathered(&gathering, crebind_vector_at(&gathering.images, i), visit, context);
  crebind_vector_free(&gathering.images);
  crebind_vector_free(&gathering.segments);
  crebind_vector_free(&gathering.entries);
  crebind_vector_free(&gathering.entry_strings);
  crebind_vector_free(&gathering.bytes);
  crebind_vector_free(&gathering.strings.bytes);
  return status;
}

const void *crebind_image_containing(const void *address) {
  struct crebind_images images;
  uintptr_t header = 0;
  crebind_lock();
  if (crebind_images_read(&images) == CREBIND_OK)
    for (size_t i = 0; i < images.items.count && header == 0; i++) {
      const struct crebind_image *image = crebind_image_at(&images, i);
      if (crebind_image_segment(image, (uintptr_t)address, 1) != NULL) header = image->header;
    }
  crebind_unlock();
  crebind_images_free(&images);
  return (const void *)header;
}
#endif
