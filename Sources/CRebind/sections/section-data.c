/// The sections of one loaded image.

#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/note.h"
#include "runtime/status.h"
#include "sections/section-headers.h"
#include "world/look.h"

/// How often an image may be replaced while its file is read.
enum { ATTEMPTS = 16 };

/// A question, and its answer.
struct inquiry {
  const void *header;
  /// NULL: all sections.
  const char *name;
  /// An answer that can change is asked for again, once.
  bool has_asked;
  bool needs_file;
  /// A note of the section that leads out of the image; 0 for none.
  uintptr_t broken_note;
  struct crebind_portraits portraits;
  struct crebind_section_table_answer answer;
  crebind_section section;
  struct crebind_section_table *table;
};

// MARK: - Answers

static uint64_t flags_of(const ElfW(Phdr) * segment) {
  return SHF_ALLOC | (segment->p_flags & PF_W ? SHF_WRITE : 0)
         | (segment->p_flags & PF_X ? SHF_EXECINSTR : 0);
}

/// True if a note says where the section is, or that it has been dropped.
static bool ask_notes(struct inquiry *inquiry, const struct crebind_image *image,
                      crebind_status *status) {
  struct crebind_note_walk walk;
  struct crebind_note note;
  struct crebind_noted_section noted;
  bool is_dropped = false;
  crebind_note_walk_begin(&walk, image);
  while (crebind_note_walk_next(&walk, &note)) {
    if (!crebind_note_section(image, &note, &noted) || !crebind_equal(noted.name, inquiry->name))
      continue;
    if (noted.is_broken) inquiry->broken_note = (uintptr_t)note.description;
    is_dropped |= noted.range.start == noted.range.end;
    if (noted.segment == NULL) continue;
    inquiry->section = (crebind_section){
        .name = inquiry->name,
        .address = noted.range.start,
        .size = noted.range.end - noted.range.start,
        .type = SHT_PROGBITS,
        .flags = flags_of(noted.segment),
        .alignment = 1,
        .source = CREBIND_SECTION_FROM_NOTE,
    };
    *status = CREBIND_OK;
    return true;
  }
  *status = CREBIND_NO_SECTION;
  return is_dropped;
}

static crebind_section section_of(const struct crebind_section_table *table,
                                  const struct crebind_section_table_entry *entry) {
  return (crebind_section){
      .name = table->names + entry->name,
      .address = entry->address,
      .size = (size_t)entry->size,
      .type = entry->type,
      .flags = entry->flags,
      .alignment = entry->alignment,
      .entry_size = entry->entry_size,
      .source = table->source,
  };
}

static crebind_status ask_table(struct inquiry *inquiry,
                                const struct crebind_section_table *table) {
  if (inquiry->name == NULL) {
    inquiry->table = crebind_section_table_copy(table);
    return inquiry->table != NULL ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
  }
  crebind_status status = CREBIND_NO_SECTION;
  for (size_t i = 0; i < table->count; i++) {
    const struct crebind_section_table_entry *entry = &table->entries[i];
    if (!crebind_equal(table->names + entry->name, inquiry->name)) continue;
    if (entry->address != 0) {
      inquiry->section = section_of(table, entry);
      inquiry->section.name = inquiry->name;
      return CREBIND_OK;
    }
    if (status == CREBIND_NO_SECTION)
      status = entry->is_outside ? CREBIND_BROKEN_FILE : CREBIND_SECTION_NOT_LOADED;
  }
  return status;
}

/// True for what another look at the file may change.
static bool may_change(crebind_status status) {
  return status == CREBIND_NO_FILE || status == CREBIND_OTHER_FILE;
}

static crebind_status ask(struct crebind_look *look, void *context) {
  struct inquiry *inquiry = context;
  struct crebind_world *world = &look->world;
  size_t index = crebind_world_find(world, inquiry->header);
  if (index == SIZE_MAX) return CREBIND_NO_SUCH_IMAGE;
  const struct crebind_image *image = crebind_world_image(world, index);
  crebind_look_fail(look, index, 0);
  crebind_status status;
  inquiry->broken_note = 0;
  inquiry->needs_file = false;
  if (inquiry->name != NULL && ask_notes(inquiry, image, &status)) return status;
  const struct crebind_section_table_answer *known = crebind_section_table_known(world, index);
  if (known == NULL || (may_change(known->status) && !inquiry->has_asked)) {
    inquiry->needs_file = true;
    crebind_portraits_clear(&inquiry->portraits);
    return crebind_portraits_add(&inquiry->portraits, world, index) ? CREBIND_OK
                                                                    : CREBIND_OUT_OF_MEMORY;
  }
  if (known->status == CREBIND_OK) return ask_table(inquiry, known->table);
  inquiry->answer = *known;
  return inquiry->broken_note != 0 ? CREBIND_BROKEN_FILE : known->status;
}

static crebind_status file(struct crebind_look *look, void *context) {
  struct inquiry *inquiry = context;
  return crebind_section_table_file(&look->world, &inquiry->portraits,
                                    crebind_portrait_at(&inquiry->portraits, 0), &inquiry->answer);
}

static crebind_status inquire(struct inquiry *inquiry, crebind_error *error) {
  crebind_portraits_begin(&inquiry->portraits);
  crebind_status status = CREBIND_BUSY;
  for (int i = 0; i < ATTEMPTS; i++) {
    status = crebind_look(ask, inquiry, error);
    if (status != CREBIND_OK || !inquiry->needs_file) break;
    inquiry->answer = crebind_section_table_find(&inquiry->portraits,
                                                 crebind_portrait_at(&inquiry->portraits, 0));
    status = inquiry->answer.status;
    if (status == CREBIND_BUSY) continue;
    if (status != CREBIND_OUT_OF_MEMORY) status = crebind_look(file, inquiry, error);
    crebind_section_table_free(inquiry->answer.table);  // If it has not been filed.
    inquiry->answer.table = NULL;
    inquiry->has_asked = status == CREBIND_OK;
    if (status != CREBIND_OK && status != CREBIND_NO_SUCH_IMAGE) break;
    status = CREBIND_BUSY;
  }
  crebind_portraits_end(&inquiry->portraits);
  if (status == CREBIND_BUSY || status == CREBIND_OUT_OF_MEMORY)
    return crebind_fail(error, status, -1);
  if (error != NULL && status == CREBIND_NO_FILE)
    error->system_error = inquiry->answer.system_error;
  if (error != NULL && status == CREBIND_BROKEN_FILE)
    error->address =
        inquiry->broken_note != 0 ? inquiry->broken_note : (uintptr_t)inquiry->answer.offset;
  return status;
}

// MARK: - Interface

crebind_status crebind_sections(const void *header, crebind_section_visitor *visit, void *context,
                                crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct inquiry inquiry = {.header = header};
  crebind_status status = inquire(&inquiry, error);
  if (status != CREBIND_OK) return status;
  for (size_t i = 0; i < inquiry.table->count; i++) {
    crebind_section section = section_of(inquiry.table, &inquiry.table->entries[i]);
    visit(&section, context);
  }
  crebind_section_table_free(inquiry.table);
  return CREBIND_OK;
}

crebind_status crebind_section_data(const void *header, const char *name,
                                    crebind_section_visitor *visit, void *context,
                                    crebind_error *error) {
  if (visit == NULL || name == NULL || name[0] == 0)
    return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct inquiry inquiry = {.header = header, .name = name};
  crebind_status status = inquire(&inquiry, error);
  if (status == CREBIND_OK) visit(&inquiry.section, context);
  return status;
}
#endif
