/// The declarations that the program and the library with the slow IFUNC share.

#include <stdatomic.h>
#include <stdint.h>

enum { BUSY_EXPECTED = 1, BUSY_INSIDE };

extern struct busy_resolver {
  /// Set by the thread that makes the first call, and by the resolver.
  atomic_int stage;
  /// The resolver waits for another word in it.
  uintptr_t *slot;
  /// And then for so many nanoseconds.
  long longer;
} busy_resolver;

int busy(void);
