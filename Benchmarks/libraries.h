/// The shared libraries that the machine has, and which of them a process
/// survives.

#ifndef LIBRARIES_H
#define LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

struct library {
  char *path;
  /// In memory that the children share: found unfit in the trial?
  bool *is_refused;
};

struct libraries {
  struct library *items;
  size_t count;
};

/// Lists the libraries of `folders`, each file once, in the order of the folders.
struct libraries find_libraries(const char *const *folders, size_t count);

/// Loads them in child processes until one survives: whatever fails, crashes,
/// exits, hangs or starts a thread is refused.
void try_libraries(struct libraries *libraries, size_t image_limit);

/// Loads what the trial left into this process, up to `image_limit` images with
/// their dependencies.
void load_libraries(const struct libraries *libraries, size_t image_limit);

#endif
