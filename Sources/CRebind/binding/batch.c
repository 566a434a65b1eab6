#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/batch.h"

static const char *copy_string(struct crebind_vector *strings, const char *string, size_t length) {
  char *copy = crebind_vector_append(strings, length + 1);
  memcpy(copy, string, length);
  copy[length] = 0;
  return copy;
}

/// The length of a name in front of `@VERSION` or `@@VERSION`.
static size_t length_of_name(const char *name) {
  size_t length = 0;
  while (name[length] != 0 && (name[length] != '@' || length == 0)) {
    length++;
    CREBIND_KEEP_LOOP();
  }
  return length;
}

static size_t size_of_strings(const crebind_rebinding *rebindings, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) {
    size += crebind_length(rebindings[i].name) + 1;
    if (rebindings[i].version != NULL) size += crebind_length(rebindings[i].version) + 1;
    if (rebindings[i].library != NULL) size += crebind_length(rebindings[i].library) + 1;
  }
  return size;
}

/// Gives each vector its room, once for all, as pointers lead into them.
static bool reserve(struct crebind_batch *batch, const crebind_rebinding *rebindings, size_t count,
                    size_t images, size_t room) {
  struct crebind_vector table = CREBIND_VECTOR(uint32_t);
  struct crebind_vector rooms = {.stride = room != 0 ? room : 1};
  // The alignment falls.
  const struct {
    struct crebind_vector *vector;
    size_t count;
  } parts[] = {
      {&batch->items, count},
      {&batch->unique, count},
      {&rooms, room != 0 ? count : 0},
      {&batch->headers, images},
      {&batch->first, count},
      {&table, crebind_names_table_size(count)},
      {&batch->strings, size_of_strings(rebindings, count)},
  };
  size_t part_count = sizeof parts / sizeof *parts, size = 0;
  for (size_t i = 0; i < part_count; i++) {
    size_t part;
    if (__builtin_mul_overflow(parts[i].vector->stride, parts[i].count, &part)
        || __builtin_add_overflow(size, part, &size))
      return false;
  }
  char *at = crebind_memory(size);
  if (at == NULL) return false;
  batch->block = at;
  batch->block_size = size;
  for (size_t i = 0; i < part_count; i++) {
    size_t part = parts[i].vector->stride * parts[i].count;
    crebind_vector_lend(parts[i].vector, at, part);
    at += part;
  }
  batch->room = rooms.data;
  crebind_names_begin(&batch->names, (const struct crebind_name *)batch->unique.data,
                      (uint32_t *)table.data, table.capacity);
  return true;
}

static void copy_items(struct crebind_batch *batch, const crebind_rebinding *rebindings,
                       const struct crebind_exact_definition *exact, size_t count) {
  struct crebind_item *items = crebind_vector_append(&batch->items, count);
  for (size_t i = 0; i < count; i++) {
    const char *name = rebindings[i].name, *version = rebindings[i].version;
    size_t length = exact != NULL ? crebind_length(name) : length_of_name(name);
    if (exact != NULL) items[i].exact = exact[i];
    if (version == NULL && name[length] == '@')
      version = name + length + (name[length + 1] == '@' ? 2 : 1);
    items[i].name.string = copy_string(&batch->strings, name, length);
    items[i].name.length = length;
    items[i].name.gnu_hash = crebind_gnu_hash(items[i].name.string);
    if (version != NULL)
      items[i].version = copy_string(&batch->strings, version, crebind_length(version));
    if (rebindings[i].library != NULL)
      items[i].library = copy_string(&batch->strings, rebindings[i].library,
                                     crebind_length(rebindings[i].library));
    items[i].definer = (uintptr_t)rebindings[i].definer;
    items[i].unversioned_only = rebindings[i].unversioned_only;
    items[i].replacement = (uintptr_t)rebindings[i].replacement;
    items[i].original = rebindings[i].original;
    items[i].may_come_later = rebindings[i].may_come_later;
  }
}

static bool may_both_be(const char *a, const char *b) {
  return a == NULL || b == NULL || crebind_equal(a, b);
}

/// True if two items of a name may select one reference, and neither of them is nearer.
static bool may_meet(const struct crebind_item *a, const struct crebind_item *b) {
  bool may_be_of_one_version =
      a->unversioned_only != b->unversioned_only
          ? (a->unversioned_only ? b->version : a->version) == NULL
          : may_both_be(a->version, b->version);
  return may_be_of_one_version && may_both_be(a->library, b->library)
         && (a->definer == 0 || b->definer == 0 || a->definer == b->definer)
         && (a->exact.image == 0 || b->exact.image == 0
             || (a->exact.image == b->exact.image && a->exact.symbol == b->exact.symbol));
}

/// Files the items under their names, and finds two that may select one symbol.
static crebind_status index_items(struct crebind_batch *batch, int64_t *bad_item) {
  size_t count = batch->items.count;
  struct crebind_name *unique = crebind_vector_append(&batch->unique, count);
  uint32_t *first = crebind_vector_append(&batch->first, count);
  for (size_t i = 0; i < count; i++) {
    struct crebind_item *item = crebind_batch_item(batch, i);
    unique[batch->names.count] = item->name;
    size_t index = crebind_names_add(&batch->names);
    if (index + 1 == batch->names.count && unique[index].string == item->name.string) {
      first[index] = (uint32_t)i;
      continue;
    }
    for (struct crebind_item *other = crebind_batch_item(batch, first[index]);;
         other = crebind_batch_item(batch, other->next - 1)) {
      if (may_meet(other, item)) {
        *bad_item = (int64_t)i;
        return CREBIND_DUPLICATE_NAME;
      }
      if (other->next != 0) continue;
      other->next = (uint32_t)i + 1;
      break;
    }
  }
  return CREBIND_OK;
}

/// NULL means any, and an empty string nothing.
static bool is_empty(const char *string) { return string != NULL && string[0] == 0; }

static crebind_status check(const crebind_rebinding *rebindings, size_t count,
                            const crebind_options *options, bool needs_replacements,
                            int64_t *bad_item) {
  if ((rebindings == NULL && count != 0) || count > UINT32_MAX / 4) return CREBIND_INVALID_ARGUMENT;
  for (size_t i = 0; i < count; i++) {
    const crebind_rebinding *rebinding = &rebindings[i];
    bool is_sound = rebinding->name != NULL && !is_empty(rebinding->version)
                    && !(rebinding->version != NULL && rebinding->unversioned_only)
                    && !is_empty(rebinding->library)
                    && (!needs_replacements || rebinding->replacement != NULL);
    if (is_sound && !is_empty(rebinding->name)) continue;
    *bad_item = (int64_t)i;
    return is_sound ? CREBIND_EMPTY_NAME : CREBIND_INVALID_ARGUMENT;
  }
  if (options->scope == CREBIND_SCOPE_MATCHING && options->matches == NULL)
    return CREBIND_INVALID_ARGUMENT;
  if (options->scope == CREBIND_SCOPE_IMAGES
      && (options->images == NULL || options->image_count == 0))
    return CREBIND_INVALID_ARGUMENT;
  if ((unsigned)options->scope > CREBIND_SCOPE_MATCHING
      || (options->slot_kinds & ~(unsigned)CREBIND_ALL_SLOT_KINDS) != 0
      || (unsigned)options->expects > CREBIND_EXPECT_DEFINED)
    return CREBIND_INVALID_ARGUMENT;
  return CREBIND_OK;
}

crebind_status crebind_batch_make(struct crebind_batch *batch, const crebind_rebinding *rebindings,
                                  const struct crebind_exact_definition *exact, size_t count,
                                  const crebind_options *options, bool needs_replacements,
                                  size_t room, int64_t *bad_item) {
  static const crebind_options everything;
  if (options == NULL) options = &everything;
  *bad_item = -1;
  memset(batch, 0, sizeof *batch);
  batch->items = CREBIND_VECTOR(struct crebind_item);
  batch->strings = CREBIND_VECTOR(char);
  batch->unique = CREBIND_VECTOR(struct crebind_name);
  batch->first = CREBIND_VECTOR(uint32_t);
  batch->headers = CREBIND_VECTOR(uintptr_t);
  crebind_status status = check(rebindings, count, options, needs_replacements, bad_item);
  if (status != CREBIND_OK) return status;

  batch->options = *options;
  if (batch->options.slot_kinds == 0) batch->options.slot_kinds = CREBIND_ALL_SLOT_KINDS;
  size_t images = options->scope == CREBIND_SCOPE_IMAGES ? options->image_count : 0;
  if (!reserve(batch, rebindings, count, images, room)) return CREBIND_OUT_OF_MEMORY;
  uintptr_t *headers = crebind_vector_append(&batch->headers, images);
  for (size_t i = 0; i < images; i++) headers[i] = (uintptr_t)options->images[i];
  batch->options.images = NULL;  // the caller's array may go
  copy_items(batch, rebindings, exact, count);
  return index_items(batch, bad_item);
}

void crebind_batch_free(struct crebind_batch *batch) {
  crebind_memory_free(batch->block, batch->block_size);
}

/// True if the image is that of this code or of a replacement.
static bool is_self(const struct crebind_batch *batch, const struct crebind_image *image) {
  if (crebind_image_segment(image, (uintptr_t)&is_self, 1) != NULL) return true;
  for (size_t i = 0; i < batch->items.count; i++)
    if (crebind_image_segment(image, crebind_batch_item(batch, i)->replacement, 1) != NULL)
      return true;
  return false;
}

bool crebind_batch_selects(const struct crebind_batch *batch, const struct crebind_image *image) {
  if (image->is_vdso || image->is_loader) return false;
  if (batch->options.excludes_self && is_self(batch, image)) return false;
  switch (batch->options.scope) {
  case CREBIND_SCOPE_ALL:
  case CREBIND_SCOPE_MATCHING: return true;
  case CREBIND_SCOPE_MAIN: return image->is_main;
  case CREBIND_SCOPE_IMAGES:
    for (size_t i = 0; i < batch->headers.count; i++)
      if (*(uintptr_t *)crebind_vector_at(&batch->headers, i) == image->header) return true;
    return false;
  }
  return false;
}
#endif
