/// An image with a section of its own, which a note describes with -DNOTED. Builds with and without
/// -DOTHER have equal program headers, and the section in another place.

#ifdef NOTED
#include "RebindAnnotations.h"
REBIND_INDEX_SECTION(own_section)
#endif

#define SECTION(name) __attribute__((section(name), used))

#ifdef OTHER
SECTION("else_section") static int elsewhere[64] = {7, 8, 9};
SECTION("own_section") static int own[64] = {1, 2, 3};
#else
SECTION("own_section") static int own[64] = {1, 2, 3};
SECTION("else_section") static int elsewhere[64] = {7, 8, 9};
#endif

const void *own_start(void);
const void *own_start(void) { return own; }
int own_elsewhere(void);
int own_elsewhere(void) { return elsewhere[0]; }
