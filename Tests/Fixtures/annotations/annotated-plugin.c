/// A library with annotations: two without an accessor, one that answers with a pointer, and one
/// that answers whatever it is asked for. BROKEN has a record that is none behind them. Besides,
/// sections that are looked at by hand: the note describes `plugin_names` alone.

#include <RebindAnnotations.h>

#ifndef KEY
#define KEY "alpha"
#endif
#ifndef PRIORITY
#define PRIORITY 5
#endif

static char text[] = "from C";

static unsigned char answer_pointer(uint32_t request, void *result) {
  if (request != REBIND_REQUEST_POINTER) return 0;
  *(void **)result = text;
  return 1;
}

static unsigned char answer_all(uint32_t request, void *result) {
  (void)request;
  *(void **)result = text;
  return 2;
}

REBIND_ANNOTATE_VALUE(tests, KEY, "value of " KEY, PRIORITY)
REBIND_ANNOTATE(tests, KEY "-plain")
REBIND_ANNOTATE_ACCESSOR(tests, KEY "-pointer", "", -1, answer_pointer)
REBIND_ANNOTATE_ACCESSOR(tests, KEY "-careless", "", -1, answer_all)
REBIND_ANNOTATE(others, KEY)

#ifdef BROKEN
__attribute__((section("rebind_annotations"), used, retain, aligned(8))) static uint64_t broken =
    0x1122334455667788;
#endif

#define IN(section_name) __attribute__((section(section_name), used, retain))
REBIND_INDEX_SECTION(plugin_names)
IN("plugin_names") static const char *one = "one", *none = NULL, *two = "two";
IN("plugin_strings") static const char packed[] = "packed\0strings\0\0";
IN("plugin_numbers") static const uint32_t numbers[] = {1, 2, 3};
IN("plugin_outside") static const char *outside = (const char *)16;
