#if defined(__linux__)
#define _GNU_SOURCE
#include "sections/section-headers.h"
#include "CRebind.h"
#include "sections/find-file.h"

static struct crebind_section_table_answer fail(crebind_status status, uint64_t offset) {
  return (struct crebind_section_table_answer){.status = status, .offset = offset};
}

// MARK: - Headers

/// The section headers and their names, as they are in the file.
struct headers {
  const ElfW(Shdr) * items;
  size_t count;
  uint64_t offset;
  char *names;
  uint64_t names_size;
  /// Behind the last one's zero byte: what begins there has no end.
  size_t names_end;
};

static struct crebind_section_table_answer read_headers(struct crebind_file *file,
                                                        struct headers *headers) {
  ElfW(Ehdr) header;
  if (!crebind_file_read(file, 0, &header, sizeof header)) return fail(CREBIND_BROKEN_FILE, 0);
  if (header.e_shoff == 0) return fail(CREBIND_NO_SECTION_HEADERS, 0);
  ElfW(Shdr) first;
  if (header.e_shentsize != sizeof first
      || !crebind_file_read(file, header.e_shoff, &first, sizeof first))
    return fail(CREBIND_BROKEN_FILE, header.e_shoff);
  // The first section header has the numbers that do not fit into the ELF header.
  uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  uint64_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  if (count == 0 || names == SHN_UNDEF) return fail(CREBIND_NO_SECTION_HEADERS, 0);
  if (names >= count || count > CREBIND_LARGEST_PART / sizeof first)
    return fail(CREBIND_BROKEN_FILE, header.e_shoff);
  crebind_status status;
  headers->offset = header.e_shoff;
  headers->items = (const ElfW(Shdr) *)crebind_file_part(file, header.e_shoff,
                                                         count * sizeof first, &status);
  if (headers->items == NULL) return fail(status, header.e_shoff);
  headers->count = (size_t)count;
  const ElfW(Shdr) *strings = &headers->items[names];
  headers->names_size = strings->sh_size;
  if (strings->sh_type == SHT_STRTAB && strings->sh_size != 0)
    headers->names = crebind_file_part(file, strings->sh_offset, strings->sh_size, &status);
  else
    status = CREBIND_BROKEN_FILE;
  if (headers->names == NULL) return fail(status, headers->offset + names * sizeof first);
  headers->names_end = (size_t)headers->names_size;
  while (headers->names_end != 0 && headers->names[headers->names_end - 1] != 0)
    headers->names_end--;
  return fail(CREBIND_OK, 0);
}

static void free_headers(struct headers *headers) {
  crebind_memory_free((void *)headers->items, headers->count * sizeof *headers->items);
  crebind_memory_free(headers->names, (size_t)headers->names_size);
}

/// False for a name or contents outside of the file.
static bool is_inside(struct crebind_file *file, const struct headers *headers,
                      const ElfW(Shdr) * header) {
  if (header->sh_type == SHT_NULL) return true;
  if (header->sh_name >= headers->names_end) return false;
  if (header->sh_type == SHT_NOBITS || file->memory != NULL) return true;
  return header->sh_offset <= file->size && header->sh_size <= file->size - header->sh_offset;
}

// MARK: - Entries

static bool is_in_segment(const struct crebind_portraits *portraits,
                          const struct crebind_portrait *portrait, const ElfW(Shdr) * header) {
  const ElfW(Phdr) *segments = crebind_portrait_phdr(portraits, portrait);
  for (size_t i = 0; i < portrait->phnum; i++) {
    const ElfW(Phdr) *segment = &segments[i];
    // An empty section may begin where the segment ends.
    if (segment->p_type == PT_LOAD && header->sh_addr >= segment->p_vaddr
        && header->sh_addr - segment->p_vaddr <= segment->p_memsz
        && header->sh_size <= segment->p_memsz - (header->sh_addr - segment->p_vaddr))
      return true;
  }
  return false;
}

static struct crebind_section_table_entry entry_of(const struct crebind_portraits *portraits,
                                                   const struct crebind_portrait *portrait,
                                                   const ElfW(Shdr) * header) {
  struct crebind_section_table_entry entry = {
      .size = header->sh_size,
      .flags = header->sh_flags,
      .alignment = header->sh_addralign,
      .entry_size = header->sh_entsize,
      .type = header->sh_type,
  };
  // The zeros of thread-local variables are only in each thread's block.
  bool is_loaded = (header->sh_flags & SHF_ALLOC) != 0
                   && ((header->sh_flags & SHF_TLS) == 0 || header->sh_type != SHT_NOBITS);
  entry.is_outside = is_loaded && !is_in_segment(portraits, portrait, header);
  if (is_loaded && !entry.is_outside) entry.address = portrait->bias + header->sh_addr;
  return entry;
}

/// One run of pages for the entries and all names: many sections may have one.
static struct crebind_section_table *make_table(const struct headers *headers,
                                                const struct crebind_portraits *portraits,
                                                const struct crebind_portrait *portrait) {
  size_t size = sizeof(struct crebind_section_table)
                + headers->count * sizeof(struct crebind_section_table_entry) + headers->names_end;
  struct crebind_section_table *table = crebind_memory(size);
  if (table == NULL) return NULL;
  table->page_bytes = size;
  table->entries = (struct crebind_section_table_entry *)(table + 1);
  table->names = memcpy(table->entries + headers->count, headers->names, headers->names_end);
  for (size_t i = 0; i < headers->count; i++) {
    const ElfW(Shdr) *header = &headers->items[i];
    if (header->sh_type == SHT_NULL) continue;
    struct crebind_section_table_entry *entry = &table->entries[table->count++];
    *entry = entry_of(portraits, portrait, header);
    entry->name = header->sh_name;
  }
  return table;
}

/// Reads the section headers of a file that is known to be the image's.
static struct crebind_section_table_answer read_table(struct crebind_file *file,
                                                      const struct crebind_portraits *portraits,
                                                      const struct crebind_portrait *portrait) {
  struct headers headers = {NULL, 0, 0, NULL, 0, 0};
  struct crebind_section_table_answer answer = read_headers(file, &headers);
  for (size_t i = 0; i < headers.count && answer.status == CREBIND_OK; i++)
    if (!is_inside(file, &headers, &headers.items[i]))
      answer = fail(CREBIND_BROKEN_FILE, headers.offset + i * sizeof(ElfW(Shdr)));
  if (answer.status == CREBIND_OK) {
    answer.table = make_table(&headers, portraits, portrait);
    if (answer.table == NULL)
      answer.status = CREBIND_OUT_OF_MEMORY;
    else
      answer.table->source = file->memory != NULL ? CREBIND_SECTION_FROM_MEMORY
                                                  : CREBIND_SECTION_FROM_FILE;
  }
  free_headers(&headers);
  return answer;
}

struct reading {
  const struct crebind_portraits *portraits;
  const struct crebind_portrait *portrait;
  struct crebind_section_table_answer answer;
};

static crebind_status read_file(struct crebind_file *file, void *context) {
  struct reading *reading = context;
  reading->answer = read_table(file, reading->portraits, reading->portrait);
  return reading->answer.status;
}

struct crebind_section_table_answer crebind_section_table_find(
    const struct crebind_portraits *portraits, const struct crebind_portrait *portrait) {
  struct reading reading = {portraits, portrait, {.status = CREBIND_OK}};
  struct crebind_file_search search = crebind_find_file(portraits, portrait, read_file, &reading);
  reading.answer.status = search.status;
  reading.answer.system_error = search.system_error;
  if (search.status == CREBIND_OK) return reading.answer;
  crebind_section_table_free(reading.answer.table);
  reading.answer.table = NULL;
  return reading.answer;
}

void crebind_section_table_free(struct crebind_section_table *table) {
  if (table != NULL) crebind_memory_free(table, table->page_bytes);
}

struct crebind_section_table *crebind_section_table_copy(
    const struct crebind_section_table *table) {
  struct crebind_section_table *copy = crebind_memory(table->page_bytes);
  if (copy == NULL) return NULL;
  memcpy(copy, table, table->page_bytes);
  copy->entries = (struct crebind_section_table_entry *)(copy + 1);
  copy->names = (const char *)copy + (table->names - (const char *)table);
  return copy;
}
#endif
