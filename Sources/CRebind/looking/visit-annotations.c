/// The annotations of all images.
///
/// Their places are kept for as long as the loader's counts and ours stay the same. Their
/// contents are copied in phase C each time, and read without locks.

#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/iterate.h"
#include "elf/note.h"
#include "looking/annotation-listener.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "sections/section-headers.h"
#include "arrivals/loading.h"
#include "transactions/attempt.h"
#include "world/gather.h"
#include "world/look.h"

#include <errno.h>

static const char section_name[] = "rebind_annotations";

/// How often images may come and go while their files are read, before they are passed
/// over.
enum { ROUNDS = 8 };

/// A section of annotations.
struct place {
  struct crebind_gathered_image image;
  uintptr_t dynamic;
  uint64_t generation;
  size_t image_index;
  struct crebind_range range;
  crebind_section_source source;
  /// The executable segments of the image.
  size_t first_code, code_count;
};

struct places {
  struct crebind_vector items;  // struct place
  struct crebind_vector code;   // struct crebind_range
  struct crebind_strings strings;
  /// The counts at which they are right.
  struct crebind_counts counts;
  uint64_t events;
  bool is_valid;
};

static void begin(struct places *places) {
  *places = (struct places){.items = CREBIND_VECTOR(struct place),
                            .code = CREBIND_VECTOR(struct crebind_range)};
  crebind_strings_begin(&places->strings);
}

static void end(struct places *places) {
  crebind_vector_free(&places->items);
  crebind_vector_free(&places->code);
  crebind_vector_free(&places->strings.bytes);
}

/// The places and contents that one call reads.
struct reading {
  struct places places;
  /// The contents of the places, one behind the other.
  struct crebind_vector contents;  // char
  /// The portraits of the images whose files have to be looked at.
  struct crebind_portraits portraits;
  bool passes_over_files;
  /// An image was passed over that will have annotations when it is relocated.
  bool is_incomplete;
};

// MARK: - Copying

/// The contents begin at a multiple of a word, as the records in them do.
static size_t padded(size_t size) { return size + (-size & (sizeof(uint64_t) - 1)); }

static crebind_status copy_contents(const struct places *places,
                                    struct crebind_vector *contents) {
  size_t size = 0;
  crebind_vector_truncate(contents, 0);
  for (size_t i = 0; i < places->items.count; i++) {
    const struct place *place = crebind_vector_at(&places->items, i);
    size += padded(place->range.end - place->range.start);
  }
  if (size == 0) return CREBIND_OK;
  char *to = crebind_vector_append(contents, size);
  if (to == NULL) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < places->items.count; i++) {
    const struct place *place = crebind_vector_at(&places->items, i);
    size = place->range.end - place->range.start;
    memcpy(to, (const void *)place->range.start, size);
    to += padded(size);
  }
  return CREBIND_OK;
}

// MARK: - Finding

static bool overlaps(const struct places *places, size_t first, struct crebind_range range) {
  for (size_t i = first; i < places->items.count; i++) {
    const struct place *place = crebind_vector_at(&places->items, i);
    if (place->range.start < range.end && range.start < place->range.end) return true;
  }
  return false;
}

/// Adds a section in the order of the addresses; false without memory. One that overlaps
/// with another is listed already, or contradicts it: nothing is read twice.
static bool add_place(struct places *places, size_t first, struct crebind_range range,
                      crebind_section_source source) {
  if (overlaps(places, first, range)) return true;
  struct place *place = crebind_vector_append(&places->items, 1);
  if (place == NULL) return false;
  struct place *start = crebind_vector_at(&places->items, first);
  for (; place > start && place[-1].range.start > range.start; place--) {
    *place = place[-1];
    CREBIND_KEEP_LOOP();
  }
  *place = (struct place){.range = range, .source = source};
  return true;
}

/// True if the image's notes tell, also that it has none.
static bool find_by_notes(struct places *places, const struct crebind_image *image,
                          crebind_status *status) {
  size_t first = places->items.count;
  bool is_told = false;
  struct crebind_note_walk walk;
  struct crebind_note note;
  struct crebind_noted_section section;
  crebind_note_walk_begin(&walk, image);
  while (crebind_note_walk_next(&walk, &note)) {
    if (!crebind_note_section(image, &note, &section) || section.is_broken
        || !crebind_equal(section.name, section_name))
      continue;
    is_told = true;
    if (section.segment != NULL
        && !add_place(places, first, section.range, CREBIND_SECTION_FROM_NOTE))
      *status = CREBIND_OUT_OF_MEMORY;
  }
  return is_told;
}

static crebind_status find_by_file(struct reading *reading, struct crebind_world *world,
                                   size_t index) {
  const struct crebind_image *image = crebind_world_image(world, index);
  const struct crebind_section_table_answer *known = crebind_section_table_known(world, index);
  if (known == NULL && !reading->passes_over_files
      && !crebind_portraits_add(&reading->portraits, world, index))
    return CREBIND_OUT_OF_MEMORY;
  if (known == NULL || known->status != CREBIND_OK) return CREBIND_OK;
  size_t first = reading->places.items.count;
  for (size_t i = 0; i < known->table->count; i++) {
    const struct crebind_section_table_entry *entry = &known->table->entries[i];
    if (entry->size == 0 || !crebind_image_can_read(image, entry->address, (size_t)entry->size)
        || !crebind_equal(known->table->names + entry->name, section_name))
      continue;
    struct crebind_range range = {entry->address, entry->address + (size_t)entry->size};
    if (!add_place(&reading->places, first, range, known->table->source))
      return CREBIND_OUT_OF_MEMORY;
  }
  return CREBIND_OK;
}

/// The executable segments; false without memory.
static bool add_code(struct places *places, const struct crebind_image *image) {
  for (size_t i = 0; i < image->phnum; i++) {
    const ElfW(Phdr) *segment = &image->phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
    struct crebind_range *range = crebind_vector_append(&places->code, 1);
    if (range == NULL) return false;
    uintptr_t start = image->bias + segment->p_vaddr;
    *range = (struct crebind_range){start, start + segment->p_memsz};
  }
  return true;
}

/// Says of the places from `first` on whose they are.
static crebind_status describe(struct places *places, size_t first, struct crebind_world *world,
                               size_t index) {
  const struct crebind_image *image = crebind_world_image(world, index);
  struct crebind_gathered_image gathered = crebind_gather_image(&places->strings, world, index);
  size_t first_code = places->code.count;
  if (!add_code(places, image)) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = first; i < places->items.count; i++) {
    struct place *place = crebind_vector_at(&places->items, i);
    place->image = gathered;
    place->dynamic = (uintptr_t)image->dynamic;
    place->generation = crebind_known_image_at(crebind_world_known(world, index))->generation;
    place->image_index = index;
    place->first_code = first_code;
    place->code_count = places->code.count - first_code;
  }
  return CREBIND_OK;
}

static crebind_status find_in_image(struct reading *reading, struct crebind_world *world,
                                    size_t index) {
  const struct crebind_image *image = crebind_world_image(world, index);
  struct places *places = &reading->places;
  size_t first = places->items.count;
  crebind_status status = CREBIND_OK;
  if (image->is_vdso || crebind_known_image_at(crebind_world_known(world, index))->is_leaving)
    return CREBIND_OK;
  if (!find_by_notes(places, image, &status) && status == CREBIND_OK)
    status = find_by_file(reading, world, index);
  if (status != CREBIND_OK || places->items.count == first) return status;
  if (crebind_loading_is_done(world, index)) return describe(places, first, world, index);
  // The accessors' addresses are not there yet.
  crebind_vector_truncate(&places->items, first);
  reading->is_incomplete = true;
  return CREBIND_OK;
}

static crebind_status find(struct crebind_look *look, void *context) {
  struct reading *reading = context;
  struct crebind_world *world = &look->world;
  end(&reading->places);
  begin(&reading->places);
  crebind_portraits_clear(&reading->portraits);
  reading->is_incomplete = false;
  reading->places.counts = world->images.counts;
  reading->places.events = crebind_annotation_events();
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++)
    status = find_in_image(reading, world, i);
  if (status != CREBIND_OK) return status;
  if (reading->places.strings.lacks_memory) return CREBIND_OUT_OF_MEMORY;
  return copy_contents(&reading->places, &reading->contents);
}

// MARK: - Files

struct filing {
  const struct crebind_portraits *portraits;
  struct crebind_vector answers;  // struct crebind_section_table_answer, by portrait
};

static crebind_status file_all(struct crebind_look *look, void *context) {
  struct filing *filing = context;
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < filing->answers.count; i++) {
    struct crebind_section_table_answer *answer = crebind_vector_at(&filing->answers, i);
    if (answer->status == CREBIND_BUSY || answer->status == CREBIND_OUT_OF_MEMORY) continue;
    if (crebind_section_table_file(&look->world, filing->portraits,
                                   crebind_portrait_at(filing->portraits, i), answer)
        == CREBIND_OUT_OF_MEMORY)
      status = CREBIND_OUT_OF_MEMORY;
  }
  return status;
}

/// Reads the files of the images whose sections are not known yet.
static crebind_status read_files(const struct crebind_portraits *portraits,
                                 crebind_error *error) {
  struct filing filing = {portraits, CREBIND_VECTOR(struct crebind_section_table_answer)};
  struct crebind_section_table_answer *answers =
      crebind_vector_append(&filing.answers, portraits->items.count);
  crebind_status status = CREBIND_OUT_OF_MEMORY;
  if (answers != NULL) {
    for (size_t i = 0; i < portraits->items.count; i++)
      answers[i] = crebind_section_table_find(portraits, crebind_portrait_at(portraits, i));
    status = crebind_look(file_all, &filing, error);
    for (size_t i = 0; i < filing.answers.count; i++) crebind_section_table_free(answers[i].table);
  }
  crebind_vector_free(&filing.answers);
  return status == CREBIND_OK ? status : crebind_fail(error, status, -1);
}

// MARK: - What is kept

/// The places of the last call; guarded by the lock.
static struct places kept;

/// This code may be part of an image that is unloaded.
__attribute__((destructor)) static void forget_kept(void) {
  if (!crebind_try_lock()) return;
  end(&kept);
  begin(&kept);
  crebind_unlock();
}

static crebind_status copy_kept_contents(void *contents) { return copy_contents(&kept, contents); }

static bool copy_vector(struct crebind_vector *to, const struct crebind_vector *from) {
  if (from->count == 0) return true;
  void *copy = crebind_vector_append(to, from->count);
  if (copy != NULL) memcpy(copy, from->data, from->count * from->stride);
  return copy != NULL;
}

static bool copy_places(struct places *to, const struct places *from) {
  return copy_vector(&to->items, &from->items) && copy_vector(&to->code, &from->code)
         && copy_vector(&to->strings.bytes, &from->strings.bytes);
}

/// True if the places are still right, and the contents have been copied.
static bool read_kept(struct reading *reading) {
  bool is_read = false;
  crebind_lock();
  if (kept.is_valid && kept.events == crebind_annotation_events())
    is_read = crebind_images_with_lock(kept.counts, copy_kept_contents, &reading->contents)
                  == CREBIND_OK
              && copy_places(&reading->places, &kept);
  crebind_unlock();
  return is_read;
}

static void keep(const struct reading *reading) {
  struct places copy;
  begin(&copy);
  crebind_lock();
  end(&kept);
  if (copy_places(&copy, &reading->places)) {
    copy.counts = reading->places.counts;
    copy.events = reading->places.events;
    copy.is_valid = true;
    kept = copy;
  } else {
    begin(&kept);
    end(&copy);
  }
  crebind_unlock();
}

static crebind_status read_annotations(struct reading *reading, crebind_error *error) {
  crebind_listen();
  if (read_kept(reading)) return CREBIND_OK;
  crebind_status status = CREBIND_OK;
  for (int round = 0; round < ROUNDS; round++) {
    reading->passes_over_files = round == ROUNDS - 1;
    status = crebind_look(find, reading, error);
    if (status != CREBIND_OK || reading->portraits.items.count == 0) break;
    status = read_files(&reading->portraits, error);
    if (status != CREBIND_OK) break;
  }
  if (status != CREBIND_OK) return status;
  if (reading->is_incomplete)
    crebind_annotation_event();  // Has the next visit read anew.
  else if (!reading->passes_over_files)
    keep(reading);
  return CREBIND_OK;
}

// MARK: - Visiting

static bool is_code(const struct places *places, const struct place *place, uint64_t address) {
  for (size_t i = 0; i < place->code_count; i++) {
    const struct crebind_range *range = crebind_vector_at(&places->code, place->first_code + i);
    if (address >= range->start && address < range->end) return true;
  }
  return false;
}

static void visit_place(const struct places *places, const struct place *place,
                        const char *contents, const char *group,
                        crebind_annotation_visitor *visit, void *context) {
  const crebind_record_format format = {sizeof(uintptr_t) == 8, false};
  size_t size = place->range.end - place->range.start;
  crebind_annotation annotation = {
      .image = crebind_image_of(&places->strings, &place->image),
      .dynamic = place->dynamic,
      .generation = place->generation,
      .image_index = place->image_index,
      .section = place->range.start,
      .source = place->source,
  };
  crebind_record *record = &annotation.record;
  for (size_t offset = 0; crebind_next_record(contents, size, format, offset, record);
       offset = record->offset + record->size) {
    if (record->fault == CREBIND_RECORD_VALID && record->accessor != 0
        && !is_code(places, place, record->accessor)) {
      record->fault = CREBIND_RECORD_ACCESSOR;
      record->group = record->key = record->value = "";
    }
    if (record->fault != CREBIND_RECORD_VALID || group == NULL
        || crebind_equal(record->group, group))
      visit(&annotation, context);
  }
}

crebind_status crebind_annotations(const char *group, crebind_annotation_visitor *visit,
                                   void *context, crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct reading reading = {.contents = CREBIND_VECTOR(char)};
  begin(&reading.places);
  crebind_portraits_begin(&reading.portraits);
  crebind_status status = read_annotations(&reading, error);
  errno = saved_errno;
  const char *contents = reading.contents.data;
  for (size_t i = 0; i < reading.places.items.count && status == CREBIND_OK; i++) {
    const struct place *place = crebind_vector_at(&reading.places.items, i);
    visit_place(&reading.places, place, contents, group, visit, context);
    contents += padded(place->range.end - place->range.start);
  }
  end(&reading.places);
  crebind_vector_free(&reading.contents);
  crebind_portraits_end(&reading.portraits);
  return status;
}

// MARK: - Generation

static int read_counts(struct dl_phdr_info *info, size_t size, void *context) {
  *(struct crebind_counts *)context = crebind_counts_of(info, size);
  return 1;
}

uint64_t crebind_annotations_generation(void) {
  struct crebind_counts counts = {0, 0};
  crebind_listen();
  crebind_lock();
  crebind_iterate(read_counts, &counts);
  crebind_unlock();
  uint64_t generation = counts.adds;
  generation = (generation * UINT64_C(0x9e3779b97f4a7c15)) ^ counts.subs;
  generation = (generation * UINT64_C(0x9e3779b97f4a7c15)) ^ crebind_annotation_events();
  return generation != 0 ? generation : 1;
}
#endif
