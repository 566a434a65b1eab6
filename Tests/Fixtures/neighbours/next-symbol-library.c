/// A function that is replaced, one that is not, and a caller; with IFUNC the first is
/// one.

#ifdef CALLER
#define _GNU_SOURCE
#include "next-symbol.h"

int value(void);
/// Of an image that holds no replacement.
int caller_value(void) { return value(); }
function *caller_asks(const char *how, void *library) { return ask(how, "value", library); }
#else
#ifdef IFUNC
static int real_value(void) { return 1; }
__attribute__((used)) static int (*choose(void))(void) { return real_value; }
int value(void) __attribute__((ifunc("choose")));
#else
int value(void) { return 1; }
#endif
int other(void) { return 2; }
#endif
