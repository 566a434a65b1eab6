/// The declarations that the program and the image that loads in its constructor share.

#include <stdatomic.h>

struct nested_loads {
  const char *inner;
  /// The constructor says so, and waits until it may load.
  int waits;
  atomic_int is_inside, may_load;
};
