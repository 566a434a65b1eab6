/// An image with annotations: by name, with a note or without, and one accessor that is
/// none.

#define _GNU_SOURCE
#include "RebindAnnotations.h"

#ifdef BARE
// The record alone, as a compiler may write it that knows no notes.
#undef REBIND_INDEX
#define REBIND_INDEX(name)
#undef REBIND_TELL
#define REBIND_TELL
#endif

static int thing = 42;

static unsigned char give(uint32_t request, void *result) {
  if (request != REBIND_REQUEST_POINTER) return 0;
  *(void **)result = &thing;
  return 1;
}

REBIND_ANNOTATE(modules, "Plugin")
REBIND_ANNOTATE_VALUE(services, "mail", "MailService", -3)
REBIND_ANNOTATE_ACCESSOR(things, "thing", "", 0, give)
#ifdef FAULTY
REBIND_ANNOTATE_ACCESSOR(things, "data", "", 0, (rebind_accessor *)(void *)&thing)
// Contradicts the note before it, and is passed over.
__asm__(REBIND_NOTE("1", REBIND_WORD "__start_rebind_annotations - .\n"
                    REBIND_WORD "__stop_rebind_annotations - " REBIND_STRING(__SIZEOF_POINTER__)
                    " - .\n.asciz \"rebind_annotations\"\n"));
#endif
