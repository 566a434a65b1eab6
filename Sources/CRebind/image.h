/// The loaded images: a snapshot of what dl_iterate_phdr lists, and a way to
/// act on it while the loader cannot change it.
///
/// The loader's lock is held in dl_iterate_phdr's callback, and calling the
/// loader there deadlocks against a dlopen elsewhere. So a first pass copies the
/// list out, and the work is done in the first callback of a second pass, if the
/// generation says that the list is still the same. musl does not hold the lock,
/// but it never unloads an image and lists one only when it is relocated.

#ifndef CREBIND_IMAGE_H
#define CREBIND_IMAGE_H

#include "CRebind.h"
#include "runtime.h"

#include <link.h>

#pragma GCC visibility push(hidden)

struct crebind_range {
  uintptr_t start, end;
};

/// One loaded image. Its identity is `bias` and `dynamic`, within a generation:
/// a path can be empty, and another image can take its place.
struct crebind_image {
  uintptr_t bias;
  /// The loader's `dlpi_name`, copied: an offset into the snapshot's `strings`.
  size_t path;
  const ElfW(Phdr) * phdr;
  size_t phnum;
  /// The address of the ELF header: of the segment that begins the file.
  uintptr_t header;
  /// The first segment's start and the last one's end.
  struct crebind_range span;
  /// The PT_DYNAMIC array, `count` entries at most; NULL in a static executable.
  const ElfW(Dyn) * dynamic;
  size_t dynamic_count;
  /// What the loader made read-only after relocating, in whole pages; empty
  /// without PT_GNU_RELRO.
  struct crebind_range relro;
  bool is_main, is_vdso, has_interpreter;
  /// The program's interpreter; on musl that is the C library as well.
  bool is_interpreter;
  /// The interpreter, if it is nothing else: its slots are left alone.
  bool is_loader;
};

struct crebind_images {
  struct crebind_vector items;    // struct crebind_image
  struct crebind_vector strings;  // char
  unsigned long long adds, subs;
};

static inline struct crebind_image *crebind_image_at(const struct crebind_images *images,
                                                     size_t index) {
  return crebind_vector_at(&images->items, index);
}

static inline const char *crebind_image_path(const struct crebind_images *images,
                                             const struct crebind_image *image) {
  return images->strings.data + image->path;
}

/// Fills in what the program headers say.
void crebind_image_describe(struct crebind_image *image, const struct dl_phdr_info *info);

/// Where the loader is, as far as a snapshot has shown it; empty if there is none
/// that is nothing else.
struct crebind_range crebind_loader_span(void);

/// Takes a snapshot, under our lock. Free it in any case.
crebind_status crebind_images_read(struct crebind_images *images);
void crebind_images_free(struct crebind_images *images);

/// False if no image can have taken another one's place since the loader's counts were these.
bool crebind_images_may_be_others(const struct crebind_images *images, unsigned long long adds,
                                  unsigned long long subs);

/// Calls `body` under the loader's lock, with every image of the snapshot still
/// in its place; returns CREBIND_BUSY without calling it if the set of images
/// has changed since. `body` must not allocate with malloc nor call the loader.
crebind_status crebind_images_with_lock(const struct crebind_images *images,
                                        crebind_status (*body)(void *context), void *context);

/// The segment of `image` that holds all of `size` bytes at `address`, or NULL.
const ElfW(Phdr) * crebind_image_segment(const struct crebind_image *image, uintptr_t address,
                                         size_t size);

/// True if all of `size` bytes at `address` lie in one segment that can be read.
bool crebind_image_can_read(const struct crebind_image *image, uintptr_t address, size_t size);

/// True if a word is a link-time address still, which relocating would change.
bool crebind_image_is_link_time(const struct crebind_image *image, uintptr_t word);

/// True for a statically linked program: no loader, and so no slots.
bool crebind_images_are_static(const struct crebind_images *images);

#pragma GCC visibility pop

#endif
