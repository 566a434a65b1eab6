/// The names of a batch, arranged so that most symbols of an image are told
/// apart from all of them by one load of four characters and one bit test.

#if defined(__linux__)
#pragma once

#include "elf/symbol.h"

#pragma GCC visibility push(hidden)

struct crebind_names {
  const struct crebind_name *items;
  size_t count;
  /// A Bloom filter over the first four bytes, the ending NUL included; of no
  /// use once a name is shorter than three.
  uint64_t prefixes[64];
  bool has_short_name;
  /// Indices into `items` plus one, by hash, with linear probing.
  uint32_t *table;
  uint32_t table_mask;
};

/// How many places the table of up to `capacity` names has.
size_t crebind_names_table_size(size_t capacity);
/// Starts without names, over an array with room for them and a zeroed table of `size`
/// places; both outlive the names.
void crebind_names_begin(struct crebind_names *names, const struct crebind_name *items,
                         uint32_t *table, size_t size);
/// Takes `items[count]` in, and returns its index or that of an equal name.
size_t crebind_names_add(struct crebind_names *names);

enum { CREBIND_PREFIX_SIZE = 4 };

/// 12 well-mixed bits of the string's first four bytes.
static inline uint32_t crebind_prefix_bit(const char *string) {
  struct __attribute__((packed, may_alias)) unaligned {
    uint32_t value;
  };
  return ((const struct unaligned *)string)->value * 2654435761u >> 20;
}

/// The index of an equal name, or -1. O(length of the name).
int64_t crebind_names_find_equal(const struct crebind_names *names,
                                 const struct crebind_name *name);

/// The same as `crebind_names_find`, for a symbol whose name lies in the table.
int64_t crebind_names_find_whole(const struct crebind_names *names,
                                 const struct crebind_dynamic *dynamic, const ElfW(Sym) * symbol);

/// The index of the symbol's name in the batch, or -1.
/// - Complexity: O(1) for most symbols, else O(length of the name).
static inline int64_t crebind_names_find(const struct crebind_names *names,
                                         const struct crebind_dynamic *dynamic,
                                         const ElfW(Sym) * symbol) {
  size_t offset = symbol->st_name;
  if (offset == 0 || offset >= dynamic->strings_size) return -1;
  if (dynamic->strings_size - offset >= CREBIND_PREFIX_SIZE && !names->has_short_name) {
    uint32_t bit = crebind_prefix_bit(dynamic->strings + offset);
    if ((names->prefixes[bit / 64] >> bit % 64 & 1) == 0) return -1;
  }
  return crebind_names_find_whole(names, dynamic, symbol);
}

#pragma GCC visibility pop
#endif
