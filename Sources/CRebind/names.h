/// The names of a batch, arranged so that most symbols of an image are told
/// apart from all of them by one load of four characters and one bit test.

#ifndef CREBIND_NAMES_H
#define CREBIND_NAMES_H

#include "symbol.h"

#pragma GCC visibility push(hidden)

struct crebind_name {
  const char *string;
  size_t length;
  uint32_t gnu_hash;
};

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

/// Starts without names, over an array with room for `capacity` of them that
/// outlives the names. Returns false without memory.
bool crebind_names_begin(struct crebind_names *names, const struct crebind_name *items,
                         size_t capacity);
/// Takes `items[count]` in, and returns its index or that of an equal name.
size_t crebind_names_add(struct crebind_names *names);
void crebind_names_free(struct crebind_names *names);

/// The index of the symbol's name in the batch, or -1.
/// - Complexity: O(1) for most symbols, else O(length of the name).
int64_t crebind_names_find(const struct crebind_names *names,
                           const struct crebind_dynamic *dynamic, const ElfW(Sym) * symbol);

#pragma GCC visibility pop

#endif
