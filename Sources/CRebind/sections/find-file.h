/// An image's file, found and proven to be the image's, for whoever reads it.

#if defined(__linux__)
#pragma once

#include "elf/file.h"
#include "world/portrait.h"

#pragma GCC visibility push(hidden)

/// Reads what is wanted of the file.
typedef crebind_status crebind_file_reader(struct crebind_file *file, void *context);

/// The result of a search.
struct crebind_file_search {
  /// The reader's, or CREBIND_NO_FILE, CREBIND_OTHER_FILE, CREBIND_OUT_OF_MEMORY or
  /// CREBIND_BUSY. After CREBIND_NO_FILE the reader may have been called, with a file that could
  /// not be read to its end: drop what it has made.
  crebind_status status;
  /// Of CREBIND_NO_FILE.
  int system_error;
};

/// Finds the image's file, and has it read; of the vDSO what is in memory. No lock.
struct crebind_file_search crebind_find_file(const struct crebind_portraits *portraits,
                                             const struct crebind_portrait *portrait,
                                             crebind_file_reader *read, void *context);

#pragma GCC visibility pop
#endif
