/// Checks that a rebinding has left the pages' permissions as they were.

#include "check.h"

#include <stdbool.h>
#include <string.h>

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
