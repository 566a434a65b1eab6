#define _GNU_SOURCE
#include "image.h"
#include "iterate.h"

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

// MARK: - The interpreter

static struct crebind_range loader_span;

struct crebind_range crebind_loader_span(void) {
  return (struct crebind_range){__atomic_load_n(&loader_span.start, __ATOMIC_RELAXED),
                                __atomic_load_n(&loader_span.end, __ATOMIC_RELAXED)};
}

/// Where the loader says that it is, to debuggers, by the program's DT_DEBUG; 0 if
/// it does not.
static uintptr_t debugged_base(const struct crebind_images *images) {
  const struct crebind_image *program = crebind_image_at(images, 0);
  uintptr_t debug = 0;
  if (!crebind_image_can_read(program, (uintptr_t)program->dynamic,
                              program->dynamic_count * sizeof(ElfW(Dyn))))
    return 0;
  for (size_t i = 0; i < program->dynamic_count && program->dynamic[i].d_tag != DT_NULL; i++)
    if (program->dynamic[i].d_tag == DT_DEBUG) debug = program->dynamic[i].d_un.d_ptr;
  for (size_t i = 1; i < images->items.count; i++)
    if (crebind_image_can_read(crebind_image_at(images, i), debug, sizeof(struct r_debug)))
      return ((const struct r_debug *)debug)->r_ldbase;
  return 0;
}

/// The kernel names no interpreter of a program that was run as `ld.so ./program`.
static void find_interpreter(struct crebind_images *images) {
  uintptr_t base = crebind_runtime()->loader_base;
  if (base == 0) base = debugged_base(images);
  for (size_t i = 1; base != 0 && i < images->items.count; i++) {
    struct crebind_image *image = crebind_image_at(images, i);
    image->is_interpreter = image->header == base;
#ifdef __GLIBC__
    image->is_loader = image->is_interpreter;
    if (image->is_loader) {
      __atomic_store_n(&loader_span.start, image->span.start, __ATOMIC_RELAXED);
      __atomic_store_n(&loader_span.end, image->span.end, __ATOMIC_RELAXED);
    }
#endif
    // musl's loader is its C library, whose calls of malloc and the like go
    // through slots so that a program can bring its own.
  }
}

// MARK: - The list

struct read_context {
  struct crebind_images *images;
  crebind_status status;
};

static int read_image(struct dl_phdr_info *info, size_t size, void *opaque) {
  struct read_context *context = opaque;
  struct crebind_images *images = context->images;
  const char *path = info->dlpi_name != NULL ? info->dlpi_name : "";
  size_t length = crebind_length(path) + 1;
  size_t offset = images->strings.count;
  char *copy = crebind_vector_append(&images->strings, length);
  struct crebind_image *image = crebind_vector_append(&images->items, 1);
  if (copy == NULL || image == NULL) {
    context->status = CREBIND_OUT_OF_MEMORY;
    return 1;
  }
  memcpy(copy, path, length);
  crebind_image_describe(image, info);
  image->path = offset;
  image->is_main = images->items.count == 1;
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
    images->adds = info->dlpi_adds;
    images->subs = info->dlpi_subs;
  }
  return 0;
}

crebind_status crebind_images_read(struct crebind_images *images) {
  *images = (struct crebind_images){
      .items = CREBIND_VECTOR(struct crebind_image), .strings = CREBIND_VECTOR(char)};
  struct read_context context = {images, CREBIND_OK};
  crebind_iterate(read_image, &context);
  if (images->items.count != 0) find_interpreter(images);
  return context.status;
}

void crebind_images_free(struct crebind_images *images) {
  crebind_vector_free(&images->items);
  crebind_vector_free(&images->strings);
}

bool crebind_images_may_be_others(const struct crebind_images *images, unsigned long long adds,
                                  unsigned long long subs) {
#ifndef __GLIBC__
  (void)images, (void)adds, (void)subs;
  return false;  // musl never unloads
#endif
  // Beside another namespace the count of unloaded images is wrong, and may sink.
  bool is_counted = images->adds - images->subs == images->items.count;
  return adds != images->adds && (subs != images->subs || !is_counted);
}

struct lock_context {
  const struct crebind_images *images;
  crebind_status (*body)(void *);
  void *body_context;
  crebind_status status;
};

static int run_body(struct dl_phdr_info *info, size_t size, void *opaque) {
  struct lock_context *context = opaque;
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs
      && (info->dlpi_adds != context->images->adds || info->dlpi_subs != context->images->subs))
    context->status = CREBIND_BUSY;
  else
    context->status = context->body(context->body_context);
  return 1;
}

crebind_status crebind_images_with_lock(const struct crebind_images *images,
                                        crebind_status (*body)(void *), void *body_context) {
  struct lock_context context = {images, body, body_context, CREBIND_BUSY};
  crebind_iterate(run_body, &context);
  return context.status;
}

const ElfW(Phdr) * crebind_image_segment(const struct crebind_image *image, uintptr_t address,
                                         size_t size) {
  if (address < image->span.start || address >= image->span.end) return NULL;
  for (size_t i = 0; i < image->phnum; i++) {
    const ElfW(Phdr) *segment = &image->phdr[i];
    uintptr_t offset = address - (image->bias + segment->p_vaddr);
    if (segment->p_type == PT_LOAD && offset < segment->p_memsz
        && size <= segment->p_memsz - offset)
      return segment;
  }
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

bool crebind_images_are_static(const struct crebind_images *images) {
  for (size_t i = 0; i < images->items.count; i++) {
    const struct crebind_image *image = crebind_image_at(images, i);
    if (image->is_vdso) continue;
    if (image->has_interpreter || !image->is_main) return false;
  }
  return true;
}
