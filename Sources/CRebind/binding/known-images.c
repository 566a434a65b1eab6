#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/known-images.h"
#include "binding/records.h"
#include "elf/note.h"

static struct crebind_vector all = {NULL, 0, 0, sizeof(struct crebind_known_image), false};
static struct crebind_vector all_strings = {NULL, 0, 0, sizeof(char), false};
static uint64_t last_serial;

static struct {
  struct crebind_counts counts;
  bool has_counts;
} served;

static struct crebind_known_table *tables;

static struct crebind_known_image *known_at(size_t index) { return crebind_vector_at(&all, index); }

const struct crebind_vector *const crebind_known_images = &all;

const char *crebind_known_path(const struct crebind_known_image *known) {
  return all_strings.data + known->path;
}

const char *crebind_known_soname(const struct crebind_known_image *known) {
  return all_strings.data + known->soname;
}

void crebind_known_use(size_t index, enum crebind_user user, bool is_used) {
  struct crebind_known_image *known = known_at(index);
  known->users = (uint8_t)(is_used ? known->users | user : known->users & ~user);
}

void crebind_known_pin(size_t index) { known_at(index)->is_pinned = true; }

void crebind_known_leave(size_t index) { known_at(index)->is_leaving = true; }

void crebind_known_replace(size_t index) {
  known_at(index)->is_present = false;
  served.has_counts = false;
}

// MARK: - Images that have gone

static bool has_gone(const struct crebind_known_image *known) {
  return (known->users & CREBIND_USED_BY_BATCHES) != 0 && !known->is_present;
}

size_t crebind_count_gone_images(void) {
  size_t count = 0;
  for (size_t i = 0; i < all.count; i++) count += has_gone(known_at(i));
  return count;
}

bool crebind_is_gone(uintptr_t address) {
  for (size_t i = 0; i < all.count; i++) {
    const struct crebind_known_image *known = known_at(i);
    if (has_gone(known) && address >= known->span.start && address < known->span.end)
      return true;
  }
  return false;
}

// MARK: - Generations

struct crebind_counts crebind_served_counts(void) { return served.counts; }

bool crebind_is_served(struct crebind_counts counts) {
  return served.has_counts && crebind_counts_are_equal(served.counts, counts);
}

void crebind_note_served(struct crebind_counts counts, bool all_served) {
  for (size_t i = 0; i < all.count; i++)
    crebind_known_use(i, CREBIND_USED_BY_BATCHES, known_at(i)->is_present);
  served.counts = counts;
  served.has_counts = all_served;
}

// MARK: - Tables

bool crebind_known_attach(struct crebind_known_table *table) {
  if (table->is_attached) return true;
  size_t count = table->rows.count;
  if (count < all.count && crebind_vector_append(&table->rows, all.count - count) == NULL)
    return false;
  table->is_attached = true;
  table->next = tables;
  tables = table;
  return true;
}

/// Gives each table a row of zeros for an image; false without memory.
static bool clear_rows(size_t index) {
  for (struct crebind_known_table *table = tables; table != NULL; table = table->next) {
    if (index == table->rows.count && crebind_vector_append(&table->rows, 1) == NULL) return false;
    memset(crebind_known_row(table, index), 0, table->rows.stride);
  }
  return true;
}

// MARK: - Recognising images

bool crebind_known_compact(void) {
  static size_t limit = 1 << 16;
  if (all_strings.count < limit) return true;
  struct crebind_vector strings = CREBIND_VECTOR(char);
  // Reserved at once, in pages that are more than enough, or nothing is changed.
  if (crebind_vector_append(&strings, all_strings.count) == NULL) return false;
  crebind_vector_truncate(&strings, 0);
  for (size_t i = 0; i < all.count; i++) {
    struct crebind_known_image *known = known_at(i);
    known->path = crebind_vector_append_string(&strings, crebind_known_path(known));
    known->soname = crebind_vector_append_string(&strings, crebind_known_soname(known));
  }
  crebind_vector_free(&all_strings);
  all_strings = strings;
  // They may be the larger part again: an image may come and go for ever.
  limit = strings.count * 2 > 1 << 16 ? strings.count * 2 : 1 << 16;
  return true;
}

/// An index whose image is gone, and forgotten and announced as gone, and whose functions are
/// nobody's originals any more.
static size_t free_index(size_t *next) {
  for (; *next < all.count; ++*next) {
    const struct crebind_known_image *known = known_at(*next);
    if (!known->is_present && known->users == 0 && !crebind_has_entries(*next)) break;
  }
  return *next;
}

bool crebind_known_enter(const struct crebind_images *images, size_t at, const char *soname,
                         uint32_t *index, size_t *next_free) {
  const struct crebind_image *image = crebind_image_at(images, at);
  size_t path_at = crebind_vector_append_string(&all_strings, crebind_image_path(images, image));
  size_t soname_at = crebind_vector_append_string(&all_strings, soname);
  if (path_at == SIZE_MAX || soname_at == SIZE_MAX) return false;
  size_t place = free_index(next_free);
  if (!clear_rows(place)) return false;
  if (place == all.count && crebind_vector_append(&all, 1) == NULL) return false;
  *known_at(place) = (struct crebind_known_image){
      .serial = ++last_serial,
      .bias = image->bias,
      .dynamic = image->dynamic,
      .header = image->header,
      .span = image->span,
      .fingerprint = crebind_image_fingerprint(image),
      .generation = images->counts.adds,
      .path = path_at,
      .soname = soname_at,
      .index = at,
      .is_present = true,
  };
  *index = (uint32_t)place;
  return true;
}

void crebind_known_find(const struct crebind_images *images, uint32_t *known_of) {
  size_t count = images->items.count;
  for (size_t i = 0; i < all.count; i++) known_at(i)->index = SIZE_MAX;
  size_t next = 0;
  for (size_t i = 0; i < count; i++) {
    const struct crebind_image *image = crebind_image_at(images, i);
    known_of[i] = UINT32_MAX;
    // Mostly in the order of the last call.
    for (size_t step = 0; step < all.count && known_of[i] == UINT32_MAX; step++) {
      if (next >= all.count) next = 0;
      struct crebind_known_image *known = known_at(next++);
      if (!known->is_present || known->bias != image->bias || known->dynamic != image->dynamic)
        continue;
      // Another one may have taken its place.
      if (crebind_images_may_be_others(images, served.counts)
          && (!crebind_equal(crebind_known_path(known), crebind_image_path(images, image))
              || known->fingerprint != crebind_image_fingerprint(image)))
        continue;
      known->index = i;
      known_of[i] = (uint32_t)(next - 1);
    }
  }
  for (size_t i = 0; i < all.count; i++) {
    struct crebind_known_image *known = known_at(i);
    if (known->index == SIZE_MAX) known->is_present = false;
  }
}

uint64_t crebind_last_image_serial(void) { return last_serial; }
#endif
