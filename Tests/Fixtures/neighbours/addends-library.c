/// A function, a second one 256 bytes behind it, and a caller of the first in an image
/// of its own.

#ifdef CALLER
int first(void);
int call(void) { return first(); }
#else
__attribute__((aligned(256))) int first(void) { return 1; }
__attribute__((aligned(256))) int second(void) { return 2; }
#endif
