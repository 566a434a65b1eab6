/// Reading files by system calls alone, or what lies in memory as if it were one.

#if defined(__linux__)
#pragma once

#include "CRebind.h"
#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

struct crebind_file {
  int descriptor;
  /// In place of a descriptor; NULL for a file.
  const char *memory;
  uint64_t size;
  /// The `errno` of the last read that failed, or 0.
  int error;
};

/// Opens a regular file for reading; what else there may be at the path is not waited for.
/// Returns 0, or the `errno` of the call that failed, EINVAL for what is no regular file.
/// Close it if that succeeds.
int crebind_file_open(struct crebind_file *file, const char *path);
void crebind_file_close(struct crebind_file *file);

/// Reads all of a range, which may lie outside of the file: false then.
bool crebind_file_read(struct crebind_file *file, uint64_t offset, void *bytes, size_t size);

/// More than any table of a linked file has, so that a file that lies does not take all memory.
enum { CREBIND_LARGEST_PART = 1 << 26 };

/// A part of a file, which is not empty; free it with `crebind_memory_free`. NULL
/// with CREBIND_BROKEN_FILE if it is not there, or CREBIND_OUT_OF_MEMORY.
char *crebind_file_part(struct crebind_file *file, uint64_t offset, uint64_t size,
                        crebind_status *status);

/// Appends what a file holds that does not say how much that is, such as those of proc(5).
/// Returns 0 or `errno`.
int crebind_file_read_all(const char *path, struct crebind_vector *bytes);

#pragma GCC visibility pop
#endif
