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

/// \param items Must outlive the names.
/// \param duplicate Receives the index of a name that stands before it too.
/// \returns false without memory or for a duplicate.
bool crebind_names_make(struct crebind_names *names, const struct crebind_name *items,
                        size_t count, int64_t *duplicate);
void crebind_names_free(struct crebind_names *names);

/// The index of the symbol's name in the batch, or -1.
/// - Complexity: O(1) for most symbols, else O(length of the name).
int64_t crebind_names_find(const struct crebind_names *names,
                           const struct crebind_dynamic *dynamic, const ElfW(Sym) * symbol);

#pragma GCC visibility pop

#endif
