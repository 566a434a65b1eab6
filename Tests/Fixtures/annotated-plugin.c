/// A library with annotations: two without an accessor, one that answers with a pointer, and
/// one that answers whatever it is asked for. BROKEN has a record that is none behind them.

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
  return 1;
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
