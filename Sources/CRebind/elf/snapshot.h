/// The loaded images: a snapshot of what dl_iterate_phdr lists, and a way to
/// act on it while the loader cannot change it.
///
/// The list's lock is held in dl_iterate_phdr's callback, and calling the loader there deadlocks
/// against a dlopen elsewhere. So a first pass copies the list. The work is done in the first
/// callback of a second pass, if the generation says that the list is still the same. musl holds no
/// lock there, but it never unloads an image and lists one only when it is relocated.

#if defined(__linux__)
#pragma once

#include "elf/image.h"

#pragma GCC visibility push(hidden)

/// The loader's counts of images that it has loaded and unloaded, `dlpi_adds` and
/// `dlpi_subs`: the generation of the set of images.
struct crebind_counts {
  unsigned long long adds, subs;
};

/// The counts that dl_iterate_phdr gives its callback; 0 where it gives none.
struct crebind_counts crebind_counts_of(const struct dl_phdr_info *info, size_t size);

static inline bool crebind_counts_are_equal(struct crebind_counts a, struct crebind_counts b) {
  return a.adds == b.adds && a.subs == b.subs;
}

struct crebind_images {
  struct crebind_vector items;    // struct crebind_image
  struct crebind_vector strings;  // char
  struct crebind_counts counts;
};

static inline struct crebind_image *crebind_image_at(const struct crebind_images *images,
                                                     size_t index) {
  return crebind_vector_at(&images->items, index);
}

static inline const char *crebind_image_path(const struct crebind_images *images,
                                             const struct crebind_image *image) {
  return images->strings.data + image->path;
}

/// The place of the loader, as far as a snapshot has shown it; empty where the loader is
/// the C library as well.
struct crebind_range crebind_loader_span(void);

/// Takes a snapshot; phase B. Free it in any case.
crebind_status crebind_images_read(struct crebind_images *images);
void crebind_images_free(struct crebind_images *images);

/// False if no image can have taken another one's place since the loader's counts were these.
bool crebind_images_may_be_others(const struct crebind_images *images,
                                  struct crebind_counts counts);

/// Calls `body` under the list's lock, with every image of a snapshot with these counts still in
/// its place. Returns CREBIND_BUSY without calling it if the set of images has changed since. Phase
/// C, if our lock is held, too.
crebind_status crebind_images_with_lock(struct crebind_counts counts,
                                        crebind_status (*body)(void *context), void *context);

/// True for a statically linked program: no loader, and so no slots.
bool crebind_images_are_static(const struct crebind_images *images);

#pragma GCC visibility pop
#endif
