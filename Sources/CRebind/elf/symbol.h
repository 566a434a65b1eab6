/// One image's dynamic symbols: names, versions, and lookup by hash.

#if defined(__linux__)
#pragma once

#include "elf/dynamic.h"

#pragma GCC visibility push(hidden)

/// DT_GNU_HASH's hash of a name.
uint32_t crebind_gnu_hash(const char *name);

/// The symbol's entry, or NULL if the index lies outside of the image.
static inline const ElfW(Sym) * crebind_symbol(const struct crebind_dynamic *dynamic,
                                               size_t index) {
  return index < dynamic->symbol_limit ? &dynamic->symbols[index] : NULL;
}

/// How many symbols the hash table counts; 0 if it tells nothing. O(buckets).
size_t crebind_symbol_count(const struct crebind_dynamic *dynamic);

/// The same, without those that lie outside of the image's segment.
size_t crebind_readable_symbol_count(const struct crebind_dynamic *dynamic);

/// True for a definition that other images may be bound to.
static inline bool crebind_symbol_is_offered(const ElfW(Sym) * symbol) {
  unsigned binding = symbol->st_info >> 4, type = symbol->st_info & 0xf;
  unsigned visibility = symbol->st_other & 3;
  return symbol->st_shndx != SHN_UNDEF && binding != STB_LOCAL && type != STT_TLS
         && visibility != STV_HIDDEN && visibility != STV_INTERNAL
         && (symbol->st_value != 0 || symbol->st_shndx == SHN_ABS);
}

/// True for the symbol of a variable.
static inline bool crebind_symbol_is_data(const ElfW(Sym) * symbol) {
  unsigned type = symbol->st_info & 0xf;
  return type == STT_OBJECT || type == STT_COMMON || type == STT_TLS;
}

/// A symbol's name, with its hash in DT_GNU_HASH.
struct crebind_name {
  const char *string;
  size_t length;
  uint32_t gnu_hash;
};

static inline struct crebind_name crebind_name_of(const char *string) {
  return (struct crebind_name){string, crebind_length(string), crebind_gnu_hash(string)};
}

/// True if it is the symbol's name.
bool crebind_symbol_is_named(const struct crebind_dynamic *dynamic, const ElfW(Sym) * symbol,
                             const struct crebind_name *name);

/// A symbol's version as DT_VERSYM and DT_VERNEED or DT_VERDEF give it.
struct crebind_version {
  /// NULL for an unversioned symbol.
  const char *name;
  /// True for a definition that is not the default (`name@VERSION`).
  bool is_hidden;
};

/// True if both are the same version, or both NULL.
static inline bool crebind_is_same_version(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && crebind_equal(a, b));
}

struct crebind_version crebind_symbol_version(const struct crebind_image *image,
                                              const struct crebind_dynamic *dynamic, size_t index);

/// The names of versions that were found last: the symbols of an image share a few of them. All
/// bytes are 0 at first. The dynamic tables stay where they are.
struct crebind_versions {
  struct {
    const struct crebind_dynamic *dynamic;
    /// The entry in DT_VERSYM, apart for what the image defines itself; never 0.
    uint32_t key;
    const char *name;
  } places[128];
};

/// The same as `crebind_symbol_version`, which it calls where it has not the name.
struct crebind_version crebind_versions_find(struct crebind_versions *versions,
                                             const struct crebind_image *image,
                                             const struct crebind_dynamic *dynamic, size_t index);

/// A walk over the symbols that the image's hash table has for a name: its
/// definitions, one a version, and a non-PIE executable's canonical PLT entries.
struct crebind_symbol_walk {
  const struct crebind_dynamic *dynamic;
  struct crebind_name name;
  /// The next index to look at; 0 at the end.
  size_t next;
  bool is_gnu;
  /// Steps left, so that a chain with a cycle ends.
  size_t steps;
};

/// False if the Bloom filter says that the table does not have the hash.
static inline bool crebind_gnu_hash_may_have(const struct crebind_gnu_hash *gnu, uint32_t hash) {
  const unsigned bits = 8 * sizeof(ElfW(Addr));
  ElfW(Addr) word = gnu->bloom[hash / bits & gnu->bloom_mask];
  // One after the other: mostly the first bit is missing.
  return (word >> hash % bits & 1) != 0 && (word >> (hash >> gnu->bloom_shift) % bits & 1) != 0;
}

/// False if the image's hash table says that it does not define the name.
static inline bool crebind_symbol_may_be_hashed(const struct crebind_dynamic *dynamic,
                                                uint32_t gnu_hash) {
  if (dynamic->gnu_hash.bucket_count == 0) return dynamic->sysv_hash.bucket_count != 0;
  return crebind_gnu_hash_may_have(&dynamic->gnu_hash, gnu_hash);
}

/// - Complexity: O(1) for most names that the image does not define.
void crebind_symbol_walk_begin(struct crebind_symbol_walk *walk,
                               const struct crebind_dynamic *dynamic,
                               const struct crebind_name *name);
/// The next symbol's index, or 0.
size_t crebind_symbol_walk_next(struct crebind_symbol_walk *walk);

#pragma GCC visibility pop
#endif
