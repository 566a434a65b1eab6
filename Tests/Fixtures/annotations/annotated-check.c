// Finds the annotations of its own image through the image's notes, which have to be read-only,
// checks them, and prints their number. LIBRARY is the part that is in the image, CALLER the
// program that asks it. SYMBOLS compares with what the linker defines.

#define _GNU_SOURCE
#include "CRebind.h"
#include "notes.h"

#include <RebindAnnotations.h>
#include <string.h>

int annotations_found(void);

#ifndef CALLER

#ifdef SYMBOLS
extern const char __start_rebind_annotations[] __attribute__((weak, visibility("hidden")));
extern const char __stop_rebind_annotations[] __attribute__((weak, visibility("hidden")));
#endif

__attribute__((visibility("default"))) int annotations_found(void) {
  struct bounds bounds = read_bounds((const void *)annotations_found, "rebind_annotations");
#ifdef SYMBOLS
  CHECK(bounds.notes == 0 || bounds.start == __start_rebind_annotations);
  CHECK(bounds.notes == 0 || bounds.end == __stop_rebind_annotations);
#endif
  CHECK((uintptr_t)bounds.start % sizeof(void *) == 0);
  size_t size = (size_t)(bounds.end - bounds.start), offset = 0;
  crebind_record_format format = {sizeof(void *) == 8, false};
  crebind_record record;
  uint32_t line = UINT32_MAX;
  int count = 0, files = 0;
  for (; crebind_next_record(bounds.start, size, format, offset, &record); count++) {
    CHECK(record.fault == CREBIND_RECORD_VALID);
    CHECK(record.priority == (int32_t)strlen(record.value));
    CHECK(record.line > 20 && record.line < 40);
    CHECK((strcmp(record.group, "macro") == 0) == (strcmp(record.key, "macro") == 0));
    CHECK((record.accessor != 0) == (strstr(record.key, "accessor") != NULL));
    if (record.accessor != 0) {
      rebind_accessor *accessor = (rebind_accessor *)(uintptr_t)record.accessor;
      const char *answer = NULL;
      CHECK(accessor(REBIND_REQUEST_TYPE, &answer) == 0 && answer == NULL);
      CHECK(accessor(REBIND_REQUEST_POINTER, &answer) == 1);
      CHECK(strcmp(answer, record.key) == 0);
    }
    if (record.line < line) files++;
    line = record.line;
    offset = record.offset + record.size;
  }
  // Of each file in the order of its lines; it has ten.
  CHECK(files * 10 == count);
  return count;
}

#endif

#ifndef LIBRARY
int main(void) {
  printf("%d records\n", annotations_found());
  return 0;
}
#endif
