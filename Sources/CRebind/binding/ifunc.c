#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/ifunc.h"

void crebind_ifuncs_begin(struct crebind_ifuncs *ifuncs) {
  *ifuncs = (struct crebind_ifuncs){.items = CREBIND_VECTOR(struct crebind_ifunc),
                                    .images = CREBIND_VECTOR(struct crebind_ifunc_image)};
}

void crebind_ifuncs_end(struct crebind_ifuncs *ifuncs) {
  crebind_vector_free(&ifuncs->items);
  crebind_vector_free(&ifuncs->images);
}

static struct crebind_ifunc *item_at(const struct crebind_ifuncs *ifuncs, size_t index) {
  return crebind_vector_at(&ifuncs->items, index);
}

static bool is_of(const struct crebind_ifunc *ifunc, uintptr_t resolver, uint64_t serial) {
  return ifunc->resolver == resolver && ifunc->serial == serial;
}

// MARK: - Answers that last

/// By their resolvers, with linear probing; no resolver is a free place. At least half of
/// them are. Guarded by our lock.
static struct crebind_vector lasting = {NULL, 0, 0, sizeof(struct crebind_ifunc), false};
static size_t lasting_count;

/// The place of a resolver, or the free one for it.
static struct crebind_ifunc *find_place(const struct crebind_vector *table, uintptr_t resolver,
                                        uint64_t serial) {
  // Functions are aligned to 16 bytes, mostly.
  for (size_t at = resolver / 16, mask = table->count - 1;; at++) {
    struct crebind_ifunc *place = crebind_vector_at(table, at & mask);
    if (place->resolver == 0 || is_of(place, resolver, serial)) return place;
  }
}

static bool make_room(void) {
  if ((lasting_count + 1) * 2 <= lasting.count) return true;
  struct crebind_vector larger = CREBIND_VECTOR(struct crebind_ifunc);
  if (crebind_vector_append(&larger, lasting.count == 0 ? 64 : lasting.count * 2) == NULL)
    return false;
  for (size_t i = 0; i < lasting.count; i++) {
    const struct crebind_ifunc *ifunc = crebind_vector_at(&lasting, i);
    if (ifunc->resolver != 0) *find_place(&larger, ifunc->resolver, ifunc->serial) = *ifunc;
  }
  crebind_vector_free(&lasting);
  lasting = larger;
  return true;
}

void crebind_ifuncs_file(const struct crebind_ifuncs *ifuncs) {
  // Without memory they are asked again another time.
  for (size_t i = 0; i < ifuncs->answered; i++) {
    const struct crebind_ifunc *ifunc = item_at(ifuncs, i);
    if (!ifunc->lasts || !make_room()) continue;
    struct crebind_ifunc *place = find_place(&lasting, ifunc->resolver, ifunc->serial);
    lasting_count += place->resolver == 0;
    *place = *ifunc;
  }
}

// MARK: - One call

const struct crebind_ifunc *crebind_ifuncs_find(const struct crebind_ifuncs *ifuncs,
                                                uintptr_t resolver, uint64_t serial) {
  for (size_t i = 0; i < ifuncs->answered; i++)
    if (is_of(item_at(ifuncs, i), resolver, serial)) return item_at(ifuncs, i);
  if (lasting.count == 0) return NULL;
  const struct crebind_ifunc *place = find_place(&lasting, resolver, serial);
  return place->resolver != 0 ? place : NULL;
}

bool crebind_ifuncs_put(struct crebind_ifuncs *ifuncs, const struct crebind_ifunc *question) {
  for (size_t i = ifuncs->answered; i < ifuncs->items.count; i++)
    if (is_of(item_at(ifuncs, i), question->resolver, question->serial)) return false;
  struct crebind_ifunc *item = crebind_vector_append(&ifuncs->items, 1);
  ifuncs->lacks_memory |= item == NULL;
  if (item == NULL) return false;
  *item = *question;
  item->first_image = ifuncs->images.count;
  return true;
}

void crebind_ifuncs_add_image(struct crebind_ifuncs *ifuncs,
                              const struct crebind_ifunc_image *image) {
  struct crebind_ifunc_image *place = crebind_vector_append(&ifuncs->images, 1);
  ifuncs->lacks_memory |= place == NULL;
  if (place == NULL) return;
  *place = *image;
  item_at(ifuncs, ifuncs->items.count - 1)->image_count++;
}

void crebind_ifuncs_answer(struct crebind_ifuncs *ifuncs, uintptr_t function) {
  item_at(ifuncs, ifuncs->answered++)->function = function;
}

void crebind_ifuncs_fail(struct crebind_ifuncs *ifuncs) { ifuncs->lacks_memory = true; }
#endif
