/// Reads the notes that lead to a section, as Documentation/ABI/Annotations.md has them.

#include "check.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Where a section of the image at an address is, and how many notes say so.
struct bounds {
  const void *address;
  const char *name, *start, *end;
  int notes;
};

static bool is_in(const ElfW(Phdr) *segment, ElfW(Addr) bias, const void *address) {
  uintptr_t start = bias + segment->p_vaddr;
  return (uintptr_t)address >= start && (uintptr_t)address - start < segment->p_memsz;
}

static void read_note(struct dl_phdr_info *image, const char *description,
                      struct bounds *bounds) {
  intptr_t distances[2];
  memcpy(distances, description, sizeof distances);
  if (strcmp(description + sizeof distances, bounds->name) != 0) return;
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
  struct bounds *bounds = context;
  const ElfW(Phdr) *segments = image->dlpi_phdr;
  bool is_own = false;
  for (int i = 0; i < image->dlpi_phnum; i++)
    is_own |= segments[i].p_type == PT_LOAD
              && is_in(&segments[i], image->dlpi_addr, bounds->address);
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
        read_note(image, note + description, bounds);
      note += (description + header->n_descsz + step - 1) & -step;
    }
  }
  return 0;
}

/// NULL and NULL without a note. All notes have to agree, and to be read-only.
static inline struct bounds read_bounds(const void *address, const char *name) {
  struct bounds bounds = {address, name, NULL, NULL, 0};
  dl_iterate_phdr(read_notes, &bounds);
  return bounds;
}
