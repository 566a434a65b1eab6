/// The section headers of an image, read from its file once and kept.

#if defined(__linux__)
#pragma once

#include "elf/file.h"
#include "world/portrait.h"

#pragma GCC visibility push(hidden)

struct crebind_section_table_entry {
  /// An offset into the table's names.
  size_t name;
  /// The run-time address; 0 for a section that is not loaded.
  uintptr_t address;
  uint64_t size, flags, alignment, entry_size;
  uint32_t type;
  /// The header says that it is loaded, and no segment has room for it.
  bool is_outside;
};

struct crebind_section_table {
  /// The size of the pages that hold the table.
  size_t page_bytes;
  crebind_section_source source;
  size_t count;
  struct crebind_section_table_entry *entries;
  const char *names;
};

/// The result of an attempt to read a section table.
struct crebind_section_table_answer {
  /// CREBIND_OK with a table, CREBIND_NO_SECTION_HEADERS, CREBIND_BROKEN_FILE,
  /// CREBIND_NO_FILE, CREBIND_OTHER_FILE, CREBIND_OUT_OF_MEMORY or CREBIND_BUSY.
  crebind_status status;
  /// The `errno` for CREBIND_NO_FILE.
  int system_error;
  /// The place of the header in the file, for CREBIND_BROKEN_FILE.
  uint64_t offset;
  struct crebind_section_table *table;
};

/// Finds the image's file, and reads its section headers. For the vDSO, it reads them from memory.
/// Call it without a lock.
struct crebind_section_table_answer crebind_section_table_find(
    const struct crebind_portraits *portraits, const struct crebind_portrait *portrait);

/// A copy in pages of its own; NULL if memory runs out.
struct crebind_section_table *crebind_section_table_copy(const struct crebind_section_table *table);
void crebind_section_table_free(struct crebind_section_table *table);

// MARK: - Known images

/// The answer that is kept for an image, until another image takes its place; NULL for no answer.
/// Phase C.
const struct crebind_section_table_answer *crebind_section_table_known(struct crebind_world *world,
                                                                       size_t index);

/// Keeps the answer for a portrait's image, and takes over the answer's table. If another image may
/// have taken the image's place, frees the table and returns CREBIND_NO_SUCH_IMAGE. Phase C.
crebind_status crebind_section_table_file(struct crebind_world *world,
                                          const struct crebind_portraits *portraits,
                                          const struct crebind_portrait *portrait,
                                          struct crebind_section_table_answer *answer);

#pragma GCC visibility pop
#endif
