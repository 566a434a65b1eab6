/// The ELF files of the machine that the floors can read.

#ifndef FILES_H
#define FILES_H

#include <stddef.h>

/// The file with the most of something.
struct largest {
  char *path;
  size_t count;
};

struct files {
  char **paths;
  size_t count;
  /// The file with the most dynamic symbols, and the one with the most relocations that
  /// name one.
  struct largest symbols, slots;
};

/// Finds them below the folders; `most` at most, but all of them for the largest.
struct files find_files(char *const *folders, size_t most);

#endif
