/// Names are compared whatever their length, and only short ones count as misspelt.

#include "steps.h"

/// A name of this length in memory of its own, so that a sanitizer sees what is read behind it.
static char *name_of(size_t length) {
  char *name = malloc(length + 1);
  CHECK(name != NULL);
  for (size_t i = 0; i < length; i++) name[i] = (char)('a' + i % 26);
  name[length] = 0;
  return name;
}

/// The edits between a name of a length and one of another length that differs in the middle.
static size_t edits(size_t length, size_t other_length) {
  char *name = name_of(length), *other = name_of(other_length);
  other[(length < other_length ? length : other_length) / 2] = '_';
  size_t count = crebind_name_edits(name, other);
  CHECK(crebind_name_edits(name, name) == 0);
  free(name);
  free(other);
  return count;
}

static size_t similar;
static void visit(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  similar += diagnosis->reason == CREBIND_REASON_SIMILAR_NAME;
}

int main(void) {
  CHECK(edits(6, 6) == 1 && edits(6, 7) == 2 && edits(6, 8) == 0);
  CHECK(edits(62, 62) == 1 && edits(63, 63) == 1 && edits(63, 64) == 2 && edits(63, 65) == 0);
  const size_t lengths[] = {64, 65, 66, 67, 200, 1000, 100000};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    size_t length = lengths[i];
    CHECK(edits(length, length) == 0 && edits(length, length + 1) == 0);
    CHECK(edits(63, length) == (length == 64 ? 2 : 0) && edits(length, 63) == 0);
    char *name = name_of(length);
    crebind_rebinding rebinding = {.name = name};
    CHECK(crebind_diagnose(&rebinding, NULL, visit, NULL, NULL) == CREBIND_OK && similar == 0);
    free(name);
  }
  puts("compared");
}
