// Finds the annotations of its own image through the image's notes, which have to be
// read-only, and checks them: prints how many there are. LIBRARY is the part that is in the
// image, CALLER the program that asks it. SYMBOLS compares with what the linker defines.

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <RebindAnnotations.h>
#include <string.h>

int annotations_found(void);

#ifndef CALLER

struct bounds {
  const char *start, *end;
  int notes;
};

static bool is_in(const ElfW(Phdr) *segment, ElfW(Addr) bias, const void *address) {
  uintptr_t start = bias + segment->p_vaddr;
  return (uintptr_t)address >= start && (uintptr_t)address - start < segment->p_memsz;
}

static void read_note(struct dl_phdr_info *image, const char *description, const char *name,
                      struct bounds *bounds) {
  intptr_t distances[2];
  memcpy(distances, description, sizeof distances);
  if (strcmp(description + sizeof distances, name) != 0) return;
  const char *start = description + distances[0];
  const char *end = description + sizeof(intptr_t) + distances[1];
  CHECK(bounds->notes++ == 0 || (bounds->start == start && bounds->end == end));
  bounds->start = start;
  bounds->end = end;
  int segments = 0;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !is_in(segment, image->dlpi_addr, description)) continue;
    CHECK((segment->p_flags & PF_W) == 0);
    segments++;
  }
  CHECK(segments == 1);
}

static int read_notes(struct dl_phdr_info *image, size_t size, void *context) {
  (void)size;
  const ElfW(Phdr) *segments = image->dlpi_phdr;
  bool is_own = false;
  for (int i = 0; i < image->dlpi_phnum; i++)
    is_own |= segments[i].p_type == PT_LOAD
              && is_in(&segments[i], image->dlpi_addr, (const void *)annotations_found);
  if (!is_own) return 0;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    if (segments[i].p_type != PT_NOTE) continue;
    const char *note = (const char *)(image->dlpi_addr + segments[i].p_vaddr);
    const char *end = note + segments[i].p_memsz;
    size_t step = segments[i].p_align == 8 ? 8 : 4;
    while (note < end) {
      const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)note;
      size_t description = (sizeof *header + header->n_namesz + step - 1) & -step;
      if (header->n_namesz == 7 && memcmp(header + 1, "Rebind", 7) == 0 && header->n_type == 1)
        read_note(image, note + description, "rebind_annotations", context);
      note += (description + header->n_descsz + step - 1) & -step;
    }
  }
  return 0;
}

#ifdef SYMBOLS
extern const char __start_rebind_annotations[] __attribute__((weak, visibility("hidden")));
extern const char __stop_rebind_annotations[] __attribute__((weak, visibility("hidden")));
#endif

__attribute__((visibility("default"))) int annotations_found(void) {
  struct bounds bounds = {NULL, NULL, 0};
  dl_iterate_phdr(read_notes, &bounds);
#ifdef SYMBOLS
  CHECK(bounds.notes == 0 || bounds.start == __start_rebind_annotations);
  CHECK(bounds.notes == 0 || bounds.end == __stop_rebind_annotations);
#endif
  CHECK((uintptr_t)bounds.start % sizeof(void *) == 0);
  size_t size = (size_t)(bounds.end - bounds.start), offset = 0;
  crebind_record_format format = {sizeof(void *) == 8, false};
  crebind_record record;
  int count = 0;
  for (; crebind_next_record(bounds.start, size, format, offset, &record); count++) {
    CHECK(record.fault == CREBIND_RECORD_VALID);
    CHECK(record.priority == (int32_t)strlen(record.value));
    CHECK(record.line > 20 && record.line < 40);
    CHECK((strcmp(record.group, "macro") == 0) == (strcmp(record.key, "macro") == 0));
    CHECK((record.accessor != 0) == (strstr(record.key, "accessor") != NULL));
    if (record.accessor != 0) {
      rebind_accessor *accessor = (rebind_accessor *)(uintptr_t)record.accessor;
      const char *answer = NULL;
      CHECK(accessor(REBIND_REQUEST_TYPE, &answer) == 0 && answer == NULL);
      CHECK(accessor(REBIND_REQUEST_POINTER, &answer) == 1);
      CHECK(strcmp(answer, record.key) == 0);
    }
    offset = record.offset + record.size;
  }
  return count;
}

#endif

#ifndef LIBRARY
int main(void) {
  printf("%d records\n", annotations_found());
  return 0;
}
#endif
