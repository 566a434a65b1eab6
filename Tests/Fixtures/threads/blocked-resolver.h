/// The declarations that the program and the image with the slow constructor share.

#include <stdatomic.h>

struct blocked_resolver {
  atomic_int is_inside, may_go_on;
};
