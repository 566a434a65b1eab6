/// An image's dynamic table, decoded once into checked pointers.

#if defined(__linux__)
#pragma once

#include "elf/image.h"

#pragma GCC visibility push(hidden)

/// A relocation table: DT_RELA, DT_REL or DT_JMPREL.
struct crebind_relocations {
  const char *data;
  size_t count;
  /// The R_*_RELATIVE entries that DT_RELACOUNT or DT_RELCOUNT promises at the
  /// start; they name no symbol.
  size_t relative_count;
  bool is_rela;
};

/// DT_GNU_HASH.
struct crebind_gnu_hash {
  const ElfW(Addr) * bloom;
  const uint32_t *buckets, *chain;
  uint32_t bucket_count, bloom_mask, bloom_shift;
  /// The index of the first symbol in the table.
  uint32_t symbol_offset;
  /// How many words of `chain` lie in the image.
  size_t chain_limit;
};

/// DT_HASH. Its words have 8 bytes on s390x, and 4 elsewhere.
struct crebind_sysv_hash {
  const Elf_Symndx *buckets, *chain;
  size_t bucket_count, chain_count;
};

struct crebind_dynamic {
  /// DT_SYMTAB, and how many entries the segment has room for: the table does
  /// not state its size.
  const ElfW(Sym) * symbols;
  size_t symbol_limit;
  const char *strings;
  size_t strings_size;
  /// An offset into `strings`, or SIZE_MAX.
  size_t soname;
  struct crebind_gnu_hash gnu_hash;
  struct crebind_sysv_hash sysv_hash;
  /// DT_VERSYM, DT_VERNEED and DT_VERDEF.
  const ElfW(Half) * versym;
  const char *verneed, *verdef;
  size_t verneed_count, verdef_count;
  /// DT_RELA, DT_REL and DT_JMPREL, in this order; a missing one has no entries.
  struct crebind_relocations relocations[3];
  /// Some relocations are packed for Android (DT_ANDROID_REL, DT_ANDROID_RELA). Neither glibc's nor
  /// musl's loader applies them: their words are as the file has them.
  bool is_packed;
  bool bind_now, symbolic;
};

enum { CREBIND_JMPREL_TABLE = 2 };

/// Tags that not every elf.h has.
enum {
  CREBIND_DT_CREL = 0x40000026,
  CREBIND_DT_ANDROID_REL = 0x6000000f,
  CREBIND_DT_ANDROID_RELA = 0x60000011,
};

/// Decodes and checks the table: every pointer and size lies in segments that can
/// be read afterwards. Without a dynamic table all members are empty.
///
/// \param tag Receives the tag that is broken.
/// \returns CREBIND_OK or CREBIND_BROKEN_IMAGE.
crebind_status crebind_dynamic_decode(const struct crebind_image *image,
                                      struct crebind_dynamic *dynamic, int64_t *tag);

/// Makes it the table of an image that defines and imports nothing.
void crebind_dynamic_clear(struct crebind_dynamic *dynamic);

/// A string of DT_STRTAB that ends within the table, or NULL.
const char *crebind_dynamic_string(const struct crebind_dynamic *dynamic, size_t offset);

#pragma GCC visibility pop
#endif
