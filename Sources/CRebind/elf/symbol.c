#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/symbol.h"

uint32_t crebind_gnu_hash(const char *name) {
  uint32_t hash = 5381;
  for (; *name != 0; name++) hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static uint32_t sysv_hash(const char *name) {
  uint32_t hash = 0;
  for (; *name != 0; name++) {
    hash = (hash << 4) + (unsigned char)*name;
    uint32_t high = hash & 0xf0000000;
    hash = (hash ^ high >> 24) & ~high;
  }
  return hash;
}

bool crebind_symbol_is_named(const struct crebind_dynamic *dynamic, const ElfW(Sym) * symbol,
                             const struct crebind_name *name) {
  size_t offset = symbol->st_name, length = name->length;
  if (offset >= dynamic->strings_size || length >= dynamic->strings_size - offset) return false;
  const char *string = dynamic->strings + offset;
  for (size_t i = 0; i <= length; i++) {
    if (string[i] != name->string[i]) return false;
    CREBIND_KEEP_LOOP();
  }
  return true;
}

size_t crebind_symbol_count(const struct crebind_dynamic *dynamic) {
  const struct crebind_gnu_hash *gnu = &dynamic->gnu_hash;
  if (gnu->bucket_count == 0) return dynamic->sysv_hash.chain_count;
  size_t last = 0;
  for (uint32_t i = 0; i < gnu->bucket_count; i++)
    if (gnu->buckets[i] > last) last = gnu->buckets[i];
  if (last < gnu->symbol_offset) return gnu->symbol_offset > 1 ? gnu->symbol_offset : 0;
  // The last bucket's chain ends with the last symbol.
  while (last - gnu->symbol_offset < gnu->chain_limit
         && (gnu->chain[last - gnu->symbol_offset] & 1) == 0)
    last++;
  return last + 1;
}

size_t crebind_readable_symbol_count(const struct crebind_dynamic *dynamic) {
  size_t count = crebind_symbol_count(dynamic);
  return count < dynamic->symbol_limit ? count : dynamic->symbol_limit;
}

// MARK: - Versions

/// The record at `address + offset`, or NULL if it leaves the image, or goes
/// backwards: with 32 bits the offset may wrap, and the records form a circle.
static const void *follow(const struct crebind_image *image, const void *address, size_t offset,
                          size_t size) {
  uintptr_t next = (uintptr_t)address + offset;
  if (next % 4 != 0 || next < (uintptr_t)address || !crebind_image_can_read(image, next, size))
    return NULL;
  return (const void *)next;
}

/// A version's index has 15 bits: more records than that are none.
enum { MAX_VERSIONS = 1 << 15 };

static const char *needed_version(const struct crebind_image *image,
                                  const struct crebind_dynamic *dynamic, unsigned index) {
  const ElfW(Verneed) *need = (const ElfW(Verneed) *)dynamic->verneed;
  size_t left = MAX_VERSIONS;
  for (size_t i = 0; i < dynamic->verneed_count && need != NULL && left != 0; i++, left--) {
    const ElfW(Vernaux) *version = follow(image, need, need->vn_aux, sizeof *version);
    for (size_t j = 0; j < need->vn_cnt && version != NULL && left != 0; j++, left--) {
      if ((version->vna_other & 0x7fff) == index)
        return crebind_dynamic_string(dynamic, version->vna_name);
      if (version->vna_next == 0) break;
      version = follow(image, version, version->vna_next, sizeof *version);
    }
    if (need->vn_next == 0) break;
    need = follow(image, need, need->vn_next, sizeof *need);
  }
  return NULL;
}

static const char *defined_version(const struct crebind_image *image,
                                   const struct crebind_dynamic *dynamic, unsigned index) {
  const ElfW(Verdef) *definition = (const ElfW(Verdef) *)dynamic->verdef;
  for (size_t i = 0; i < dynamic->verdef_count && definition != NULL && i < MAX_VERSIONS; i++) {
    // The version named after the file itself is no version of a symbol.
    if ((definition->vd_ndx & 0x7fff) == index && (definition->vd_flags & VER_FLG_BASE) == 0) {
      const ElfW(Verdaux) *name = follow(image, definition, definition->vd_aux, sizeof *name);
      return name == NULL ? NULL : crebind_dynamic_string(dynamic, name->vda_name);
    }
    if (definition->vd_next == 0) break;
    definition = follow(image, definition, definition->vd_next, sizeof *definition);
  }
  return NULL;
}

struct crebind_version crebind_symbol_version(const struct crebind_image *image,
                                              const struct crebind_dynamic *dynamic,
                                              size_t index) {
  struct crebind_version version = {NULL, false};
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, index);
  if (dynamic->versym == NULL || symbol == NULL) return version;
  unsigned entry = dynamic->versym[index];
  version.is_hidden = (entry & 0x8000) != 0;
  entry &= 0x7fff;
  if (entry == VER_NDX_LOCAL || entry == VER_NDX_GLOBAL) {
    // Index 1 is a version of its own only where DT_VERNEED has an entry for it.
    if (entry == VER_NDX_GLOBAL && symbol->st_shndx == SHN_UNDEF)
      version.name = needed_version(image, dynamic, entry);
    return version;
  }
  // A copy-relocated symbol is defined here, but its version is the needed one.
  version.name = symbol->st_shndx == SHN_UNDEF ? NULL : defined_version(image, dynamic, entry);
  if (version.name == NULL) version.name = needed_version(image, dynamic, entry);
  return version;
}

struct crebind_version crebind_versions_find(struct crebind_versions *versions,
                                             const struct crebind_image *image,
                                             const struct crebind_dynamic *dynamic,
                                             size_t index) {
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, index);
  if (dynamic->versym == NULL || symbol == NULL) return (struct crebind_version){NULL, false};
  uint32_t entry = dynamic->versym[index];
  uint32_t key = entry | (symbol->st_shndx == SHN_UNDEF ? 1u << 16 : 1u << 17);
  size_t count = sizeof versions->places / sizeof *versions->places;
  size_t at = (entry ^ (uintptr_t)dynamic / sizeof *dynamic * 31) % count;
  if (versions->places[at].dynamic != dynamic || versions->places[at].key != key) {
    versions->places[at].dynamic = dynamic;
    versions->places[at].key = key;
    versions->places[at].name = crebind_symbol_version(image, dynamic, index).name;
  }
  return (struct crebind_version){versions->places[at].name, (entry & 0x8000) != 0};
}

// MARK: - Lookup

void crebind_symbol_walk_begin(struct crebind_symbol_walk *walk,
                               const struct crebind_dynamic *dynamic,
                               const struct crebind_name *name) {
  walk->dynamic = dynamic;
  walk->name = *name;
  walk->next = 0;
  walk->steps = dynamic->symbol_limit;
  const struct crebind_gnu_hash *gnu = &dynamic->gnu_hash;
  walk->is_gnu = gnu->bucket_count != 0;
  if (!crebind_symbol_may_be_hashed(dynamic, name->gnu_hash)) return;
  if (walk->is_gnu) {
    walk->next = gnu->buckets[name->gnu_hash % gnu->bucket_count];
    if (walk->next < gnu->symbol_offset) walk->next = 0;
  } else {
    const struct crebind_sysv_hash *sysv = &dynamic->sysv_hash;
    walk->next = sysv->buckets[sysv_hash(name->string) % sysv->bucket_count];
  }
}

size_t crebind_symbol_walk_next(struct crebind_symbol_walk *walk) {
  const struct crebind_dynamic *dynamic = walk->dynamic;
  while (walk->next != 0 && walk->steps != 0) {
    size_t index = walk->next;
    bool may_match = true;
    walk->steps--;
    if (walk->is_gnu) {
      size_t position = index - dynamic->gnu_hash.symbol_offset;
      if (position >= dynamic->gnu_hash.chain_limit) return walk->next = 0;
      uint32_t hash = dynamic->gnu_hash.chain[position];
      walk->next = (hash & 1) != 0 ? 0 : index + 1;
      may_match = (hash | 1) == (walk->name.gnu_hash | 1);
    } else {
      if (index >= dynamic->sysv_hash.chain_count) return walk->next = 0;
      walk->next = dynamic->sysv_hash.chain[index];
    }
    const ElfW(Sym) *symbol = crebind_symbol(dynamic, index);
    if (symbol == NULL) return walk->next = 0;
    if (may_match && crebind_symbol_is_named(dynamic, symbol, &walk->name))
      return index;
  }
  return 0;
}
#endif
