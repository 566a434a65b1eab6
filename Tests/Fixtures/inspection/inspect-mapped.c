// A process in which files are mapped as the loader would map them, broken ones too, to be looked
// at. Each argument is a file; behind a number that is not 0, some bytes of the files that follow are
// changed in memory. It prints "ready" and waits for the end of its input.

#define _GNU_SOURCE
#include "check.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct segment {
  uint64_t offset, address, file_size, memory_size;
};

enum { LARGEST = 1 << 20, MOST_SEGMENTS = 32 };

/// Reads the PT_LOAD of a file; 0 if it has none that could be mapped.
static size_t read_segments(const uint8_t *file, size_t size, struct segment *segments) {
  size_t count = 0;
  if (size < sizeof(Elf64_Ehdr)) return 0;
  int is64 = file[EI_CLASS] == ELFCLASS64;
  Elf64_Ehdr header;
  Elf32_Ehdr narrow;
  memcpy(&header, file, sizeof header);
  memcpy(&narrow, file, sizeof narrow);
  uint64_t start = is64 ? header.e_phoff : narrow.e_phoff;
  uint64_t number = is64 ? header.e_phnum : narrow.e_phnum;
  uint64_t entry = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  if (start > size || number > MOST_SEGMENTS || number * entry > size - start) return 0;
  for (uint64_t index = 0; index < number; index++) {
    Elf64_Phdr wide = {0};
    Elf32_Phdr small = {0};
    if (is64) {
      memcpy(&wide, file + start + index * entry, sizeof wide);
    } else {
      memcpy(&small, file + start + index * entry, sizeof small);
      wide = (Elf64_Phdr){.p_type = small.p_type, .p_offset = small.p_offset,
                          .p_vaddr = small.p_vaddr, .p_filesz = small.p_filesz,
                          .p_memsz = small.p_memsz};
    }
    if (wide.p_type != PT_LOAD) continue;
    if (wide.p_offset > size || wide.p_vaddr > LARGEST || wide.p_filesz > LARGEST) return 0;
    // The rest is not mapped, whatever the header says.
    if (wide.p_memsz > LARGEST) wide.p_memsz = LARGEST;
    segments[count++] =
        (struct segment){wide.p_offset, wide.p_vaddr, wide.p_filesz, wide.p_memsz};
  }
  return count;
}

static void damage(uint8_t *bytes, size_t size, uint64_t *seed) {
  for (int count = 0; count < 8; count++) {
    // George Marsaglia's xorshift64.
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    bytes[*seed % size] = (uint8_t)(*seed >> 32);
  }
}

static void map(const char *path, uint64_t *seed) {
  static uint8_t bytes[LARGEST];
  struct segment segments[MOST_SEGMENTS];
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  CHECK(file >= 0);
  ssize_t size = read(file, bytes, sizeof bytes);
  CHECK(size >= 0);
  size_t count = read_segments(bytes, (size_t)size, segments);
  int protection = PROT_READ | PROT_WRITE;
  uint8_t *start = mmap(NULL, 3 * LARGEST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(start != MAP_FAILED);
  if (count == 0 && size > 0)
    mmap(start, (size_t)size, protection, MAP_PRIVATE | MAP_FIXED, file, 0);
  for (size_t index = 0; index < count; index++) {
    struct segment *segment = &segments[index];
    uint64_t within = segment->address % page;
    if (segment->offset % page != within || segment->file_size == 0) continue;
    uint8_t *target = start + segment->address - within;
    uint64_t length = within + segment->memory_size;
    mmap(target, length, protection, MAP_PRIVATE | MAP_FIXED, file,
         (off_t)(segment->offset - within));
    uint64_t there = (uint64_t)size - (segment->offset - within);
    if (*seed != 0 && index == 0) damage(target, length < there ? length : there, seed);
  }
  close(file);
}

int main(int count, char **arguments) {
  uint64_t seed = 0;
  for (int index = 1; index < count; index++) {
    char *end;
    uint64_t number = strtoull(arguments[index], &end, 10);
    if (*end == 0)
      seed = number;
    else
      map(arguments[index], &seed);
  }
  CHECK(write(STDOUT_FILENO, "ready\n", 6) == 6);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}
