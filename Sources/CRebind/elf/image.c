#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/image.h"

static uintptr_t page_floor(uintptr_t address) {
  return address & ~(uintptr_t)(crebind_runtime()->page_size - 1);
}

void crebind_image_describe(struct crebind_image *image, const struct dl_phdr_info *info) {
  const struct crebind_runtime *runtime = crebind_runtime();
  memset(image, 0, sizeof *image);
  image->bias = info->dlpi_addr;
  image->phdr = info->dlpi_phdr;
  image->phnum = info->dlpi_phnum;
  image->span.start = UINTPTR_MAX;
  bool has_header = false;

  for (size_t i = 0; i < image->phnum; i++) {
    const ElfW(Phdr) *segment = &image->phdr[i];
    uintptr_t start = image->bias + segment->p_vaddr;
    switch (segment->p_type) {
    case PT_LOAD:
      if (image->load_end == 0) image->first_load = i;
      image->load_end = i + 1;
      if (segment->p_offset == 0 && segment->p_filesz != 0 && !has_header) {
        image->header = start;
        has_header = true;
      }
      if (start < image->span.start) image->span.start = start;
      if (start + segment->p_memsz > image->span.end) image->span.end = start + segment->p_memsz;
      break;
    case PT_DYNAMIC:
      image->dynamic = (const ElfW(Dyn) *)start;
      image->dynamic_count = segment->p_memsz / sizeof(ElfW(Dyn));
      break;
    case PT_GNU_RELRO:
      // Both ends rounded down, as the loader does: a page that is only partly
      // relro stays writable.
      image->relro.start = page_floor(start);
      image->relro.end = page_floor(start + segment->p_memsz);
      break;
    case PT_INTERP:
      image->has_interpreter = true;
      break;
    }
  }
  image->is_vdso = runtime->vdso_base != 0 && image->header == runtime->vdso_base;
}

static bool is_in(const struct crebind_image *image, const ElfW(Phdr) * segment,
                  uintptr_t address, size_t size) {
  uintptr_t offset = address - (image->bias + segment->p_vaddr);
  return offset < segment->p_memsz && size <= segment->p_memsz - offset;
}

const ElfW(Phdr) * crebind_image_segment_in_span(const struct crebind_image *image,
                                                 uintptr_t address, size_t size) {
  // Slots lie in the last segment, tables in the first ones.
  const ElfW(Phdr) *last = &image->phdr[image->load_end - 1];
  if (is_in(image, last, address, size)) return last;
  for (const ElfW(Phdr) *segment = &image->phdr[image->first_load]; segment < last; segment++)
    if (segment->p_type == PT_LOAD && is_in(image, segment, address, size)) return segment;
  return NULL;
}

bool crebind_image_can_read(const struct crebind_image *image, uintptr_t address, size_t size) {
  const ElfW(Phdr) *segment = crebind_image_segment(image, address, size);
  return segment != NULL && (segment->p_flags & PF_R) != 0;
}

bool crebind_image_is_link_time(const struct crebind_image *image, uintptr_t word) {
  return image->bias != 0 && word != 0 && word < image->span.start
         && crebind_image_segment(image, image->bias + word, 1) != NULL;
}
#endif
