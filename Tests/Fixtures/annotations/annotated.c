// Annotations of many lengths, in C or C++, for annotated-check.c to find: of each the
// priority is the value's length, and the accessor answers with the key. PART tells the
// object files of one image apart.

#include <RebindAnnotations.h>

#ifndef PART
#define PART 1
#endif

#define NAME(stem) REBIND_JOIN(stem, PART)
#define KEY(text) REBIND_STRING(PART) text

static unsigned char accessor(uint32_t request, void *result) {
  static const char *const key = KEY(" with an accessor");
  if (request != REBIND_REQUEST_POINTER) return 0;
  __builtin_memcpy(result, &key, sizeof key);
  return 1;
}

// A group is taken as it is written, if it is a macro, too.
#define macro replaced

REBIND_ANNOTATE(modules, KEY(" alone"))
REBIND_ANNOTATE(macro, "macro")
REBIND_ANNOTATE_VALUE(app.services - v2, KEY("é文😀"), "1", 1)
REBIND_ANNOTATE_VALUE(modules, KEY("k"), "12", 2)
REBIND_ANNOTATE_VALUE(modules, KEY("ke"), "12345678901234567890", 20)
REBIND_ANNOTATE_VALUE(modules, KEY("key"), "1234567890123456789012345678901234567890123", 43)
REBIND_ANNOTATE_VALUE(modules, KEY("key 4"), "", 0)
REBIND_ANNOTATE_ACCESSOR(modules, KEY(" with an accessor"), "", 0, accessor)
// Two on one line, a constant of another type, and inside of something.
#ifdef __cplusplus
namespace nested {
extern "C" {
#endif
REBIND_ANNOTATE(modules, "a") REBIND_ANNOTATE_VALUE(modules, "b", "123", 3ULL)
#ifdef __cplusplus
}
}
#endif

// The records of each file, for what refers to it.
#ifdef __cplusplus
extern "C"
#endif
const int NAME(annotated_part_);
const int NAME(annotated_part_) = 10;
