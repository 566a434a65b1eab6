#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/snapshot.h"
#include "elf/iterate.h"

// MARK: - The interpreter

/// Atomic.
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

struct crebind_counts crebind_counts_of(const struct dl_phdr_info *info, size_t size) {
  if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    return (struct crebind_counts){0, 0};
  return (struct crebind_counts){info->dlpi_adds, info->dlpi_subs};
}

/// The first image is the program, but in a namespace of dlmopen, which has no program. musl has no
/// namespaces, and leaves the kernel's AT_PHDR as it is where the loader was run as a program.
static bool is_program(const struct crebind_image *first) {
#ifdef __GLIBC__
  uintptr_t headers = crebind_runtime()->program_headers;
  return headers == 0 || headers == (uintptr_t)first->phdr;
#else
  (void)first;
  return true;
#endif
}

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
  image->is_main = images->items.count == 1 && is_program(image);
  images->counts = crebind_counts_of(info, size);
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

bool crebind_images_may_be_others(const struct crebind_images *images,
                                  struct crebind_counts counts) {
#ifndef __GLIBC__
  (void)images, (void)counts;
  return false;  // musl never unloads
#endif
  // Beside another namespace the count of unloaded images is wrong, and may sink.
  bool is_counted = images->counts.adds - images->counts.subs == images->items.count;
  return counts.adds != images->counts.adds
         && (counts.subs != images->counts.subs || !is_counted);
}

struct lock_context {
  struct crebind_counts counts;
  crebind_status (*body)(void *);
  void *body_context;
  crebind_status status;
};

static int run_body(struct dl_phdr_info *info, size_t size, void *opaque) {
  struct lock_context *context = opaque;
  context->status = crebind_counts_are_equal(crebind_counts_of(info, size), context->counts)
                        ? context->body(context->body_context)
                        : CREBIND_BUSY;
  return 1;
}

crebind_status crebind_images_with_lock(struct crebind_counts counts,
                                        crebind_status (*body)(void *), void *body_context) {
  struct lock_context context = {counts, body, body_context, CREBIND_BUSY};
  crebind_iterate(run_body, &context);
  return context.status;
}

bool crebind_images_are_static(const struct crebind_images *images) {
  for (size_t i = 0; i < images->items.count; i++) {
    const struct crebind_image *image = crebind_image_at(images, i);
    if (image->is_vdso) continue;
    if (image->has_interpreter || !image->is_main) return false;
  }
  return true;
}
#endif
