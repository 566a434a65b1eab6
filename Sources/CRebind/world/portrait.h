/// Portraits of images, to judge their files by: taken in phase C, and used without locks, as
/// no file is read under them.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

struct crebind_portrait {
  /// The known image, and its serial: another one may have taken its place since.
  uint32_t known;
  uint64_t serial;
  uintptr_t bias, header;
  bool is_main, is_vdso;
  /// The ELF header is in memory.
  bool has_elf_header;
  /// The headers or the build ID are not what they were: the file has been written to.
  bool is_overwritten;
  /// The loader has written to segments that are read-only (DT_TEXTREL).
  bool has_text_relocations;
  ElfW(Ehdr) elf_header;
  /// Offsets into the bytes of the portraits.
  size_t path, phdr, build_id;
  size_t phnum, build_id_size;
  /// The dynamic symbols, which a rebinding changes.
  struct crebind_range symbols;
};

struct crebind_portraits {
  struct crebind_vector items;  // struct crebind_portrait
  struct crebind_vector bytes;
  /// The loader's counts.
  struct crebind_counts counts;
};

static inline struct crebind_portrait *crebind_portrait_at(
    const struct crebind_portraits *portraits, size_t index) {
  return crebind_vector_at(&portraits->items, index);
}

static inline const ElfW(Phdr) * crebind_portrait_phdr(const struct crebind_portraits *portraits,
                                                       const struct crebind_portrait *portrait) {
  return (const ElfW(Phdr) *)(portraits->bytes.data + portrait->phdr);
}

void crebind_portraits_begin(struct crebind_portraits *portraits);
void crebind_portraits_end(struct crebind_portraits *portraits);

/// Forgets all portraits, and keeps the memory for others.
static inline void crebind_portraits_clear(struct crebind_portraits *portraits) {
  crebind_vector_truncate(&portraits->items, 0);
  crebind_vector_truncate(&portraits->bytes, 0);
}

/// Adds an image of a filled world; false without memory.
bool crebind_portraits_add(struct crebind_portraits *portraits,
                           const struct crebind_world *world, size_t index);

#pragma GCC visibility pop
#endif
