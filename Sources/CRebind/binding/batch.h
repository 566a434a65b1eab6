/// A batch of rebindings as the caller gave it, copied: what to rebind, to what,
/// and where.

#if defined(__linux__)
#pragma once

#include "binding/names.h"

#pragma GCC visibility push(hidden)

/// A definition, wherever it is: no other one has had these numbers.
struct crebind_exact_definition {
  /// The serial number of the image that has it; 0 for any.
  uint64_t image;
  /// The index in the image's symbol table; SIZE_MAX for any.
  size_t symbol;
};

/// One rebinding, as the caller asked for it.
struct crebind_item {
  struct crebind_name name;
  /// NULL for any.
  const char *version, *library;
  /// The ELF header of the image that has to define it, or 0. Once a call has found the image, `exact`
  /// has its number.
  uintptr_t definer;
  /// The definition that references have to be bound to.
  struct crebind_exact_definition exact;
  /// Only references without a version.
  bool unversioned_only;
  uintptr_t replacement;
  void **original;
  /// Nothing has to define it yet.
  bool may_come_later;
  /// The next item with the same name plus one, or 0.
  uint32_t next;
};

struct crebind_batch {
  /// Holds the vectors and the table of names, which would take six pages of their own.
  void *block;
  size_t block_size;
  /// The caller's part of the block.
  void *room;
  struct crebind_vector items;    // struct crebind_item
  struct crebind_vector strings;  // char
  struct crebind_vector unique;   // struct crebind_name: each name once
  struct crebind_vector first;    // uint32_t: the first item of each unique name
  struct crebind_names names;     // over `unique`
  crebind_options options;
  struct crebind_vector headers;  // uintptr_t: a copy of options.images
};

static inline struct crebind_item *crebind_batch_item(const struct crebind_batch *batch,
                                                      size_t index) {
  return crebind_vector_at(&batch->items, index);
}

/// Notes the image that an item names as the one that has to define its symbol.
static inline void crebind_item_found_definer(struct crebind_item *item, uint64_t serial) {
  item->exact = (struct crebind_exact_definition){serial, SIZE_MAX};
}

/// True if not every reference with the name is asked for.
static inline bool crebind_item_is_narrow(const struct crebind_item *item) {
  return item->version != NULL || item->library != NULL || item->definer != 0
         || item->exact.image != 0 || item->unversioned_only;
}

static inline size_t crebind_batch_index(const struct crebind_batch *batch,
                                         const struct crebind_item *item) {
  return (size_t)(item - (const struct crebind_item *)batch->items.data);
}

/// The first item of the unique name with this index.
static inline struct crebind_item *crebind_batch_item_named(const struct crebind_batch *batch,
                                                            size_t unique) {
  return crebind_batch_item(batch, *(uint32_t *)crebind_vector_at(&batch->first, unique));
}

/// The first item with this name, and the next one after an item; NULL at the end.
static inline struct crebind_item *crebind_batch_first(const struct crebind_batch *batch,
                                                       const struct crebind_name *name) {
  int64_t unique = crebind_names_find_equal(&batch->names, name);
  return unique < 0 ? NULL : crebind_batch_item_named(batch, (size_t)unique);
}

static inline struct crebind_item *crebind_batch_next(const struct crebind_batch *batch,
                                                      const struct crebind_item *item) {
  return item->next == 0 ? NULL : crebind_batch_item(batch, item->next - 1);
}

/// Copies and checks a batch, which may be empty. Free it in any case.
///
/// \param exact The definition that each rebinding is for, whose name is taken as it is; or NULL.
/// \param needs_replacements False for a diagnosis, which stores nothing.
/// \param room The bytes for each rebinding that `batch->room` has, all 0.
/// \param bad_item Receives the index of the rebinding that is refused.
/// \returns CREBIND_OK, CREBIND_INVALID_ARGUMENT, CREBIND_EMPTY_NAME, CREBIND_DUPLICATE_NAME or
///   CREBIND_OUT_OF_MEMORY.
crebind_status crebind_batch_make(struct crebind_batch *batch, const crebind_rebinding *rebindings,
                                  const struct crebind_exact_definition *exact, size_t count,
                                  const crebind_options *options, bool needs_replacements,
                                  size_t room, int64_t *bad_item);
void crebind_batch_free(struct crebind_batch *batch);

/// True if images that are loaded later may be in scope.
static inline bool crebind_options_serve_later_images(const crebind_options *options) {
  return !options->loaded_images_only
         && (options->scope == CREBIND_SCOPE_ALL || options->scope == CREBIND_SCOPE_MATCHING);
}

/// True if the symbols have to be redirected where they are defined: only then does everything that
/// is bound later belong to the scope.
static inline bool crebind_batch_redirects_definitions(const struct crebind_batch *batch) {
  return batch->options.scope == CREBIND_SCOPE_ALL && !batch->options.loaded_images_only
         && !batch->options.slots_only && !batch->options.excludes_self
         && batch->options.slot_kinds == CREBIND_ALL_SLOT_KINDS;
}

/// True if the options, apart from a predicate, select the image.
bool crebind_batch_selects(const struct crebind_batch *batch, const struct crebind_image *image);

#pragma GCC visibility pop
#endif
