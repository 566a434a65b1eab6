/// One loaded image, as its program headers describe it.

#if defined(__linux__)
#pragma once

#include "CRebind.h"
#include "runtime/runtime.h"

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
  /// The indices of the first PT_LOAD, and behind the last one: mostly no other lies between.
  size_t first_load, load_end;
  /// The address of the ELF header: of the segment that begins the file.
  uintptr_t header;
  /// The first segment's start and the last one's end.
  struct crebind_range span;
  /// The PT_DYNAMIC array, `count` entries at most; NULL in a static executable.
  const ElfW(Dyn) * dynamic;
  size_t dynamic_count;
  /// The pages that the loader made read-only after relocating; empty
  /// without PT_GNU_RELRO.
  struct crebind_range relro;
  bool is_main, is_vdso, has_interpreter;
  /// The program's interpreter; on musl that is the C library as well.
  bool is_interpreter;
  /// The interpreter, if it is nothing else: its slots are left alone.
  bool is_loader;
};

/// Fills in what the program headers say.
void crebind_image_describe(struct crebind_image *image, const struct dl_phdr_info *info);

/// The same as `crebind_image_segment`, for an address in the image's span.
const ElfW(Phdr) * crebind_image_segment_in_span(const struct crebind_image *image,
                                                 uintptr_t address, size_t size);

/// The segment of `image` that holds all of `size` bytes at `address`, or NULL.
static inline const ElfW(Phdr) * crebind_image_segment(const struct crebind_image *image,
                                                       uintptr_t address, size_t size) {
  return address < image->span.start || address >= image->span.end
             ? NULL
             : crebind_image_segment_in_span(image, address, size);
}

/// True if all of `size` bytes at `address` lie in one segment that can be read.
bool crebind_image_can_read(const struct crebind_image *image, uintptr_t address, size_t size);

/// True if a word is a link-time address still, which relocating would change.
bool crebind_image_is_link_time(const struct crebind_image *image, uintptr_t word);

#pragma GCC visibility pop
#endif
