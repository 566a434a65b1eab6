#if defined(__linux__)
#define _GNU_SOURCE

#include "images.h"
#include "lock.h"

#include <CRebind.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define IMAGES 1024
#define RANGES 2048

typedef struct image {
  crebind_counting_maker maker;
  /// Whether the calls are its own, once that was asked.
  enum { NOT_ASKED, CERTAIN, UNCERTAIN } certainty;
  char path[512];
  _Atomic uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT];
} image;

/// Code of an image.
typedef struct range {
  uintptr_t start, end;
  image *image;
} range;

struct crebind_counting_images {
  bool spares_testing;
  /// The generation before the images were looked at.
  crebind_reach_loader_counts generation;
  size_t image_count, range_count;
  image images[IMAGES];
  range ranges[RANGES];
  /// The calls from images beyond the limit, from images that were loaded later, and from code
  /// outside all images.
  image elsewhere;
};

/// The kind of library that a file is, by the beginning of its name.
static crebind_counting_maker maker_of(const char *path, bool spares_testing) {
  static const struct {
    const char *prefix;
    crebind_counting_maker maker;
  } libraries[] = {
      {"libTesting", CREBIND_COUNTING_SPARED},
      {"lib_Testing", CREBIND_COUNTING_SPARED},
      {"libXCTest", CREBIND_COUNTING_SPARED},
      {"libswift_Concurrency", CREBIND_COUNTING_OF_TASKS},
      {"libdispatch", CREBIND_COUNTING_OF_TASKS},
      {"libBlocksRuntime", CREBIND_COUNTING_OF_TASKS},
      {"libswiftCore", CREBIND_COUNTING_OF_RUNTIME},
  };
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    if (strncmp(name, libraries[i].prefix, strlen(libraries[i].prefix)) != 0) continue;
    bool counts = libraries[i].maker == CREBIND_COUNTING_SPARED && !spares_testing;
    return counts ? CREBIND_COUNTING_ANYBODY : libraries[i].maker;
  }
  return CREBIND_COUNTING_ANYBODY;
}

crebind_reach_code crebind_counting_task_runtime;
static _Atomic bool is_task_runtime_known;

static bool is_task_runtime(const char *path, const void *context) {
  (void)context;
  return maker_of(path, true) == CREBIND_COUNTING_OF_TASKS;
}

void crebind_counting_find_task_runtime(void) {
  if (is_task_runtime_known) return;
  crebind_counting_lock();
  if (!is_task_runtime_known)
    crebind_reach_find_code(&crebind_counting_task_runtime, is_task_runtime, NULL);
  is_task_runtime_known = crebind_counting_task_runtime.count != 0;
  crebind_counting_unlock();
}

static void see_image(const crebind_image_contents *contents, void *context) {
  crebind_counting_images *images = context;
  if (images->image_count == IMAGES) return;
  image *image = &images->images[images->image_count++];
  // musl gives the vDSO no name.
  const char *path = contents->info.path[0] != 0 ? contents->info.path : "[vdso]";
  if (!contents->is_main) snprintf(image->path, sizeof image->path, "%s", path);
  image->maker = maker_of(image->path, images->spares_testing);
  for (size_t i = 0; i < contents->segment_count && images->range_count < RANGES; i++) {
    const crebind_segment *segment = &contents->segments[i];
    if (segment->type != PT_LOAD || (segment->flags & PF_X) == 0) continue;
    uintptr_t start = (uintptr_t)contents->info.slide + (uintptr_t)segment->address;
    images->ranges[images->range_count++] =
        (range){start, start + (uintptr_t)segment->memory_size, image};
  }
}

crebind_counting_images *crebind_counting_images_make(bool spares_testing) {
  crebind_counting_images *images = mmap(NULL, sizeof *images, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (images == MAP_FAILED) return NULL;
  images->spares_testing = spares_testing;
  if (spares_testing) crebind_reach_prepare_frames();
  images->generation = crebind_reach_loader_counts_now();
  if (crebind_images(see_image, images, NULL) == CREBIND_OK) return images;
  crebind_counting_images_free(images);
  return NULL;
}

void crebind_counting_images_free(crebind_counting_images *images) {
  munmap(images, sizeof *images);
}

/// The image that an address is in.
static image *image_of(crebind_counting_images *images, uintptr_t address) {
  for (size_t i = 0; i < images->range_count; i++) {
    const range *range = &images->ranges[i];
    if (address >= range->start && address < range->end) return range->image;
  }
  return &images->elsewhere;
}

static bool is_of_runtime(const void *images, uintptr_t address) {
  return image_of((crebind_counting_images *)images, address)->maker
         == CREBIND_COUNTING_OF_RUNTIME;
}

/// True if the runtime makes a call on behalf of a testing library, as for the library's own objects. A
/// testing library also calls the code of tests, but then that code is nearer to the call.
static bool is_for_testing(crebind_counting_images *images, uintptr_t caller) {
  uintptr_t frame = crebind_reach_frame_outside(caller, is_of_runtime, images);
  return frame != 0 && image_of(images, frame)->maker == CREBIND_COUNTING_SPARED;
}

crebind_counting_maker crebind_counting_images_note(crebind_counting_images *images,
                                                    const crebind_counting_event *event) {
  uintptr_t caller = (uintptr_t)event->caller;
  image *image = image_of(images, caller);
  if (image->maker == CREBIND_COUNTING_SPARED
      || (image->maker == CREBIND_COUNTING_OF_RUNTIME && images->spares_testing
          && is_for_testing(images, caller)))
    return CREBIND_COUNTING_SPARED;
  atomic_fetch_add_explicit(&image->calls[event->function], 1, memory_order_relaxed);
  return image->maker;
}

/// Whether the calls noted for an image are its own. The answer stays, so that no call is in two sums.
static bool is_certain(const crebind_counting_images *images, image *image) {
  if (image->certainty != NOT_ASKED) return image->certainty == CERTAIN;
  image->certainty = CERTAIN;
  for (size_t i = 0; i < images->range_count; i++)
    if (images->ranges[i].image == image
        && !crebind_reach_has_stayed(images->generation, images->ranges[i].start))
      image->certainty = UNCERTAIN;
  return image->certainty == CERTAIN;
}

static void add_calls(uint64_t *calls, const image *image) {
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) calls[i] += image->calls[i];
}

const char *crebind_counting_images_read(crebind_counting_images *images, size_t index,
                                         uint64_t *calls) {
  if (index > images->image_count) return NULL;
  memset(calls, 0, CREBIND_COUNTING_FUNCTION_COUNT * sizeof *calls);
  if (index < images->image_count) {
    image *image = &images->images[index];
    if (is_certain(images, image)) add_calls(calls, image);
    return image->path;
  }
  add_calls(calls, &images->elsewhere);
  for (size_t i = 0; i < images->image_count; i++)
    if (!is_certain(images, &images->images[i])) add_calls(calls, &images->images[i]);
  return CREBIND_COUNTING_ELSEWHERE;
}
#endif
