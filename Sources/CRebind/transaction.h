/// Batches of rebindings: applied whole, kept on record, restored in any order.

#ifndef CREBIND_TRANSACTION_H
#define CREBIND_TRANSACTION_H

#include "plan.h"

#pragma GCC visibility push(hidden)

/// One rebinding of an active batch.
struct crebind_active {
  struct crebind_name name;
  uintptr_t replacement;
  void **original;
  /// The index of the entry whose original is the summary, or SIZE_MAX.
  size_t summary_entry;
};

/// What tells an image from another one that has taken its place.
struct crebind_identity {
  uintptr_t bias;
  const ElfW(Dyn) * dynamic;
};

struct crebind_handle {
  struct crebind_handle *next;
  struct crebind_vector rebindings;  // struct crebind_active
  struct crebind_vector strings;     // char
  struct crebind_vector entries;     // struct crebind_entry, by image
  struct crebind_vector images;      // struct crebind_identity
};

#pragma GCC visibility pop

#endif
