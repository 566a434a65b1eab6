#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/dynamic.h"

/// The run-time address that a `d_ptr` means, or 0 if it lies in no segment.
///
/// glibc relocates the table in place, but not the vDSO's and not that of an
/// image linked with `-z rodynamic`; musl never does. So each value is judged by
/// itself: is it inside of the image's own segments?
static uintptr_t address_of(const struct crebind_image *image, ElfW(Addr) d_ptr) {
  if (crebind_image_segment(image, d_ptr, 1) != NULL) return d_ptr;
  if (crebind_image_segment(image, image->bias + d_ptr, 1) != NULL) return image->bias + d_ptr;
  return 0;
}

const char *crebind_dynamic_string(const struct crebind_dynamic *dynamic, size_t offset) {
  for (size_t i = offset; i < dynamic->strings_size; i++)
    if (dynamic->strings[i] == 0) return dynamic->strings + offset;
  return NULL;
}

/// The tags that this core uses, as the table states them.
struct tags {
  ElfW(Addr) symtab, strtab, hash, gnu_hash, versym, verneed, verdef, rela, rel, jmprel;
  ElfW(Xword) strsz, syment, verneednum, verdefnum, relasz, relsz, pltrelsz, relaent, relent;
  ElfW(Xword) relacount, relcount, soname;
  ElfW(Sxword) pltrel;
  bool has_soname, has_crel;
};

static void read_tags(const struct crebind_image *image, struct tags *tags,
                      struct crebind_dynamic *dynamic) {
  for (size_t i = 0; i < image->dynamic_count; i++) {
    const ElfW(Dyn) *entry = &image->dynamic[i];
    switch (entry->d_tag) {
    case DT_NULL: return;
    case DT_SYMTAB: tags->symtab = entry->d_un.d_ptr; break;
    case DT_STRTAB: tags->strtab = entry->d_un.d_ptr; break;
    case DT_STRSZ: tags->strsz = entry->d_un.d_val; break;
    case DT_SYMENT: tags->syment = entry->d_un.d_val; break;
    case DT_HASH: tags->hash = entry->d_un.d_ptr; break;
    case DT_GNU_HASH: tags->gnu_hash = entry->d_un.d_ptr; break;
    case DT_VERSYM: tags->versym = entry->d_un.d_ptr; break;
    case DT_VERNEED: tags->verneed = entry->d_un.d_ptr; break;
    case DT_VERNEEDNUM: tags->verneednum = entry->d_un.d_val; break;
    case DT_VERDEF: tags->verdef = entry->d_un.d_ptr; break;
    case DT_VERDEFNUM: tags->verdefnum = entry->d_un.d_val; break;
    case DT_RELA: tags->rela = entry->d_un.d_ptr; break;
    case DT_RELASZ: tags->relasz = entry->d_un.d_val; break;
    case DT_RELAENT: tags->relaent = entry->d_un.d_val; break;
    case DT_RELACOUNT: tags->relacount = entry->d_un.d_val; break;
    case DT_REL: tags->rel = entry->d_un.d_ptr; break;
    case DT_RELSZ: tags->relsz = entry->d_un.d_val; break;
    case DT_RELENT: tags->relent = entry->d_un.d_val; break;
    case DT_RELCOUNT: tags->relcount = entry->d_un.d_val; break;
    case DT_JMPREL: tags->jmprel = entry->d_un.d_ptr; break;
    case DT_PLTRELSZ: tags->pltrelsz = entry->d_un.d_val; break;
    case DT_PLTREL: tags->pltrel = (ElfW(Sxword))entry->d_un.d_val; break;
    case DT_SONAME:
      tags->soname = entry->d_un.d_val;
      tags->has_soname = true;
      break;
    case CREBIND_DT_ANDROID_RELA:
    case CREBIND_DT_ANDROID_REL: dynamic->is_packed = true; break;
    case CREBIND_DT_CREL: tags->has_crel = true; break;
    case DT_BIND_NOW: dynamic->bind_now = true; break;
    case DT_SYMBOLIC: dynamic->symbolic = true; break;
    case DT_FLAGS:
      if (entry->d_un.d_val & DF_BIND_NOW) dynamic->bind_now = true;
      if (entry->d_un.d_val & DF_SYMBOLIC) dynamic->symbolic = true;
      break;
    case DT_FLAGS_1:
      if (entry->d_un.d_val & DF_1_NOW) dynamic->bind_now = true;
      break;
    }
  }
}

/// The address of a table of `size` bytes that can be read, or 0. A
/// table that is read by word has to be aligned as well.
static uintptr_t table(const struct crebind_image *image, ElfW(Addr) d_ptr, size_t size,
                       size_t alignment) {
  uintptr_t address = address_of(image, d_ptr);
  if (address == 0 || address % alignment != 0) return 0;
  return crebind_image_can_read(image, address, size) ? address : 0;
}

/// How many bytes the segment has from `address` on.
static size_t room(const struct crebind_image *image, uintptr_t address) {
  const ElfW(Phdr) *segment = crebind_image_segment(image, address, 1);
  return segment == NULL ? 0 : image->bias + segment->p_vaddr + segment->p_memsz - address;
}

static bool decode_relocations(const struct crebind_image *image, ElfW(Addr) d_ptr, size_t size,
                               bool is_rela, size_t relative_count,
                               struct crebind_relocations *relocations) {
  if (size == 0) return true;
  size_t stride = is_rela ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
  uintptr_t address = table(image, d_ptr, size, sizeof(ElfW(Addr)));
  if (address == 0) return false;
  relocations->data = (const char *)address;
  relocations->count = size / stride;
  relocations->relative_count =
      relative_count < relocations->count ? relative_count : relocations->count;
  relocations->is_rela = is_rela;
  return true;
}

static bool decode_gnu_hash(const struct crebind_image *image, ElfW(Addr) d_ptr,
                            struct crebind_gnu_hash *hash) {
  enum { header_words = 4 };
  uintptr_t address = table(image, d_ptr, header_words * sizeof(uint32_t), sizeof(ElfW(Addr)));
  if (address == 0) return false;
  const uint32_t *words = (const uint32_t *)address;
  size_t bloom_count = words[2];
  size_t available = room(image, address) - header_words * sizeof(uint32_t);
  if (bloom_count == 0 || (bloom_count & (bloom_count - 1)) != 0
      || bloom_count > available / sizeof(ElfW(Addr)))
    return false;
  available -= bloom_count * sizeof(ElfW(Addr));
  if (words[0] == 0 || words[0] > available / sizeof(uint32_t)) return false;
  available -= words[0] * sizeof(uint32_t);

  hash->bucket_count = words[0];
  hash->symbol_offset = words[1];
  hash->bloom_mask = (uint32_t)bloom_count - 1;
  hash->bloom_shift = words[3] % 32;
  hash->bloom = (const ElfW(Addr) *)(words + header_words);
  hash->buckets = (const uint32_t *)(hash->bloom + bloom_count);
  hash->chain = hash->buckets + hash->bucket_count;
  hash->chain_limit = available / sizeof(uint32_t);
  return true;
}

static bool decode_sysv_hash(const struct crebind_image *image, ElfW(Addr) d_ptr,
                             struct crebind_sysv_hash *hash) {
  uintptr_t address = table(image, d_ptr, 2 * sizeof(Elf_Symndx), sizeof(Elf_Symndx));
  if (address == 0) return false;
  const Elf_Symndx *words = (const Elf_Symndx *)address;
  size_t available = room(image, address) / sizeof(Elf_Symndx) - 2;
  if (words[0] > available || words[1] > available - words[0]) return false;
  hash->bucket_count = words[0];
  hash->chain_count = words[1];
  hash->buckets = words + 2;
  hash->chain = hash->buckets + hash->bucket_count;
  return true;
}

void crebind_dynamic_clear(struct crebind_dynamic *dynamic) {
  memset(dynamic, 0, sizeof *dynamic);
  dynamic->soname = SIZE_MAX;
}

/// Stops decoding at a tag that points where it must not.
#define CREBIND_CHECK(condition, broken_tag) \
  if (!(condition)) {                        \
    *tag = (broken_tag);                     \
    return CREBIND_BROKEN_IMAGE;             \
  }

crebind_status crebind_dynamic_decode(const struct crebind_image *image,
                                      struct crebind_dynamic *dynamic, int64_t *tag) {
  crebind_dynamic_clear(dynamic);
  if (image->dynamic == NULL) return CREBIND_OK;
  CREBIND_CHECK(crebind_image_can_read(image, (uintptr_t)image->dynamic,
                                       image->dynamic_count * sizeof(ElfW(Dyn))),
                DT_NULL);
  struct tags tags;
  memset(&tags, 0, sizeof tags);
  read_tags(image, &tags, dynamic);
  if (tags.symtab == 0 || tags.strtab == 0) return CREBIND_OK;

  CREBIND_CHECK(tags.syment == 0 || tags.syment == sizeof(ElfW(Sym)), DT_SYMENT);
  uintptr_t symbols = table(image, tags.symtab, sizeof(ElfW(Sym)), sizeof(ElfW(Addr)));
  CREBIND_CHECK(symbols != 0, DT_SYMTAB);
  dynamic->symbols = (const ElfW(Sym) *)symbols;
  dynamic->symbol_limit = room(image, symbols) / sizeof(ElfW(Sym));

  dynamic->strings = (const char *)table(image, tags.strtab, tags.strsz, 1);
  CREBIND_CHECK(dynamic->strings != NULL, DT_STRTAB);
  dynamic->strings_size = tags.strsz;
  if (tags.has_soname) dynamic->soname = tags.soname;

  if (tags.gnu_hash != 0)
    CREBIND_CHECK(decode_gnu_hash(image, tags.gnu_hash, &dynamic->gnu_hash), DT_GNU_HASH);
  if (tags.hash != 0)
    CREBIND_CHECK(decode_sysv_hash(image, tags.hash, &dynamic->sysv_hash), DT_HASH);

  if (tags.versym != 0) {
    uintptr_t versym = table(image, tags.versym, sizeof(ElfW(Half)), sizeof(ElfW(Half)));
    CREBIND_CHECK(versym != 0, DT_VERSYM);
    dynamic->versym = (const ElfW(Half) *)versym;
    // The two tables have an entry for each symbol.
    size_t versions = room(image, versym) / sizeof(ElfW(Half));
    if (versions < dynamic->symbol_limit) dynamic->symbol_limit = versions;
  }
  if (tags.verneed != 0 && tags.verneednum != 0) {
    dynamic->verneed = (const char *)table(image, tags.verneed, sizeof(ElfW(Verneed)), 4);
    CREBIND_CHECK(dynamic->verneed != NULL, DT_VERNEED);
    dynamic->verneed_count = tags.verneednum;
  }
  if (tags.verdef != 0 && tags.verdefnum != 0) {
    dynamic->verdef = (const char *)table(image, tags.verdef, sizeof(ElfW(Verdef)), 4);
    CREBIND_CHECK(dynamic->verdef != NULL, DT_VERDEF);
    dynamic->verdef_count = tags.verdefnum;
  }

  // Some linkers count the PLT's relocations in DT_RELASZ as well.
  bool plt_is_rela = tags.pltrel == DT_RELA;
  ElfW(Xword) *size = plt_is_rela ? &tags.relasz : &tags.relsz;
  ElfW(Addr) start = plt_is_rela ? tags.rela : tags.rel;
  if (tags.pltrelsz != 0 && tags.pltrelsz <= *size && start + *size == tags.jmprel + tags.pltrelsz)
    *size -= tags.pltrelsz;

  CREBIND_CHECK(tags.relaent == 0 || tags.relaent == sizeof(ElfW(Rela)), DT_RELAENT);
  CREBIND_CHECK(tags.relent == 0 || tags.relent == sizeof(ElfW(Rel)), DT_RELENT);
  CREBIND_CHECK(decode_relocations(image, tags.rela, tags.relasz, true, tags.relacount,
                                   &dynamic->relocations[0]),
                DT_RELA);
  CREBIND_CHECK(decode_relocations(image, tags.rel, tags.relsz, false, tags.relcount,
                                   &dynamic->relocations[1]),
                DT_REL);
  CREBIND_CHECK(tags.pltrelsz == 0 || tags.pltrel == DT_RELA || tags.pltrel == DT_REL, DT_PLTREL);
  CREBIND_CHECK(decode_relocations(image, tags.jmprel, tags.pltrelsz, plt_is_rela, 0,
                                   &dynamic->relocations[CREBIND_JMPREL_TABLE]),
                DT_JMPREL);
  // No linker writes it, and no loader reads it yet.
  CREBIND_CHECK(!tags.has_crel, CREBIND_DT_CREL);
  return CREBIND_OK;
}
#endif
