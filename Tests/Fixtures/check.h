/// What the fixtures share: a check that tells its line, and a copy of the maps.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/// True if each page of `maps` has the permissions it had there. One that has been moved,
/// with code in its segment, may be readable only.
static inline bool keeps_permissions(const char *maps) {
  unsigned long start, end;
  char flags[8];
  for (; sscanf(maps, "%lx-%lx %7s", &start, &end, flags) == 3; maps = strchr(maps, '\n') + 1) {
    FILE *file = fopen("/proc/self/maps", "r");
    CHECK(file != NULL);
    char line[4096], now[8];
    for (unsigned long from, to; fgets(line, sizeof line, file) != NULL;) {
      CHECK(sscanf(line, "%lx-%lx %7s", &from, &to, now) == 3);
      if (to <= start || from >= end) continue;
      bool is_moved = flags[2] == 'x' && strcmp(now, "r--p") == 0;
      if (from > start || (strcmp(flags, now) != 0 && !is_moved)) break;
      start = to;
    }
    fclose(file);
    if (start < end) return false;
  }
  return true;
}
