/// Where an image's file may be: at the path that the loader gives, which may be relative to
/// another folder, or at the one that the kernel gives. Some files are only behind the mapping,
/// which takes privilege.

#if defined(__linux__)
#define _GNU_SOURCE
#include "sections/find-file.h"
#include "sections/proof.h"

#include <errno.h>

// MARK: - The kernel's list of mappings

/// A line of /proc/self/maps.
struct mapping {
  uintptr_t start, end;
  /// The range as the line has it, and what follows the inode; neither is terminated.
  const char *range, *path;
  size_t range_size, path_size;
};

static uintptr_t read_hex(const char **text, const char *end) {
  uintptr_t value = 0;
  for (; *text < end; ++*text) {
    char c = **text;
    unsigned digit;
    if (c >= '0' && c <= '9')
      digit = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = (unsigned)(c - 'a' + 10);
    else
      break;
    value = value << 4 | digit;
    CREBIND_KEEP_LOOP();
  }
  return value;
}

static const char *end_of_line(const char *text, const char *end) {
  while (text < end && *text != '\n') {
    text++;
    CREBIND_KEEP_LOOP();
  }
  return text;
}

static bool read_mapping(const char *line, const char *end, struct mapping *mapping) {
  const char *text = line;
  mapping->range = line;
  mapping->start = read_hex(&text, end);
  if (text == end || *text++ != '-') return false;
  mapping->end = read_hex(&text, end);
  mapping->range_size = (size_t)(text - line);
  // Permissions, offset, device and inode.
  for (unsigned i = 0; i < 4; i++) {
    while (text < end && *text == ' ') text++;
    while (text < end && *text != ' ') text++;
  }
  while (text < end && *text == ' ') text++;
  mapping->path = text;
  mapping->path_size = (size_t)(end - text);
  return true;
}

/// Finds the mapping that an address lies in.
static bool find_mapping(const struct crebind_vector *maps, uintptr_t address,
                         struct mapping *mapping) {
  const char *text = maps->data, *end = text + maps->count;
  while (text < end) {
    const char *line_end = end_of_line(text, end);
    if (read_mapping(text, line_end, mapping) && address >= mapping->start
        && address < mapping->end)
      return true;
    text = line_end + 1;
  }
  return false;
}

// MARK: - Candidates

struct search {
  const struct crebind_portraits *portraits;
  const struct crebind_portrait *portrait;
  crebind_file_reader *read;
  void *context;
  struct crebind_file_search result;
};

/// True if that ends the search: the path leads to the image's file.
static bool try_path(struct search *search, const char *path) {
  struct crebind_file file;
  int failure = crebind_file_open(&file, path);
  if (failure != 0) {
    // The error is that of the path that the user knows.
    if (search->result.system_error == 0) search->result.system_error = failure;
    return false;
  }
  crebind_status status = crebind_proof(&file, search->portraits, search->portrait);
  search->result.status =
      status == CREBIND_OK ? search->read(&file, search->context) : status;
  crebind_file_close(&file);
  if (file.error == 0) return status != CREBIND_OTHER_FILE;
  // A read failed: drop the answer that was made of it.
  search->result = (struct crebind_file_search){CREBIND_NO_FILE, file.error};
  return true;
}

/// Copies as a string; false if the room is too small.
static bool copy_text(char *to, size_t room, const char *prefix, const char *text, size_t size) {
  size_t length = crebind_length(prefix);
  if (length + size >= room) return false;
  memcpy(to, prefix, length);
  memcpy(to + length, text, size);
  to[length + size] = 0;
  return true;
}

static bool try_mapping(struct search *search, const struct mapping *mapping) {
  char path[4096];
  // The kernel appends " (deleted)" to the name of a deleted file, and hardly any file has such a
  // name.
  if (mapping->path_size != 0 && mapping->path[0] == '/'
      && copy_text(path, sizeof path, "", mapping->path, mapping->path_size)
      && try_path(search, path))
    return true;
  return copy_text(path, sizeof path, "/proc/self/map_files/", mapping->range,
                   mapping->range_size)
         && try_path(search, path);
}

/// An address that the file is mapped at.
static uintptr_t mapped_address(const struct search *search) {
  const ElfW(Phdr) *segments = crebind_portrait_phdr(search->portraits, search->portrait);
  for (size_t i = 0; i < search->portrait->phnum; i++)
    if (segments[i].p_type == PT_LOAD && segments[i].p_filesz != 0)
      return search->portrait->bias + segments[i].p_vaddr;
  return 0;
}

/// The part of the vDSO that is in its pages.
static crebind_status read_memory(const struct search *search) {
  const struct crebind_portrait *portrait = search->portrait;
  const ElfW(Phdr) *segments = crebind_portrait_phdr(search->portraits, portrait);
  uintptr_t mask = crebind_runtime()->page_size - 1;
  struct crebind_file file = {-1, (const char *)portrait->header, 0, 0};
  for (size_t i = 0; i < portrait->phnum; i++)
    if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
      file.size = (segments[i].p_memsz + mask) & ~mask;
  return search->read(&file, search->context);
}

struct crebind_file_search crebind_find_file(const struct crebind_portraits *portraits,
                                             const struct crebind_portrait *portrait,
                                             crebind_file_reader *read, void *context) {
  struct search search = {portraits, portrait, read, context, {CREBIND_NO_FILE, 0}};
  if (portrait->is_vdso) return (struct crebind_file_search){read_memory(&search), 0};
  int saved_errno = errno;
  const char *path = portraits->bytes.data + portrait->path;
  bool is_found = try_path(&search, portrait->is_main ? "/proc/self/exe" : path);
  if (!is_found) {
    struct crebind_vector maps = CREBIND_VECTOR(char);
    struct mapping mapping;
    if (crebind_file_read_all("/proc/self/maps", &maps) == 0
        && find_mapping(&maps, mapped_address(&search), &mapping))
      try_mapping(&search, &mapping);
    crebind_vector_free(&maps);
  }
  errno = saved_errno;
  return search.result;
}
#endif
