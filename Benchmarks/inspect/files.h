/// The ELF files of the machine that the floors can read.

#ifndef FILES_H
#define FILES_H

#include <stddef.h>

struct files {
  char **paths;
  size_t count;
  /// The one with the most dynamic symbols, and how many those are.
  char *largest;
  size_t largest_count;
};

/// Finds them below the folders; `most` at most, but all of them for the largest.
struct files find_files(char *const *folders, size_t most);

#endif
