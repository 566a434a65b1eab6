/// Helpers of the fixtures: a check that prints its line, and a copy of the maps.

#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) {                                                   \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

/// The ranges, permissions and names of /proc/self/maps, without the heap,
/// which grows by itself, and the core's own anonymous records.
static inline char *read_maps(void) {
  static char buffers[4][1 << 16];
  static int next;
  char *text = buffers[next++ % 4];
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file != NULL);
  size_t length = 0;
  char line[4096];
  while (fgets(line, sizeof line, file) != NULL) {
    char path[4096] = "";
    sscanf(line, "%*s %*s %*s %*s %*s %4095s", path);
    if (path[0] != '/') continue;
    length += (size_t)snprintf(text + length, sizeof buffers[0] - length, "%s", line);
    CHECK(length < sizeof buffers[0]);
  }
  fclose(file);
  return text;
}
