/// The declarations that the two copies of CRebind in `two-copies` share.

#include <stdbool.h>

struct other_copy {
  void (*apply)(void);
  /// False while another hook lies on some slots.
  bool (*restore)(void);
  void (*refresh)(void);
  /// How often its hook has run since it was last asked.
  int (*hooked)(void);
  const void *address;
};
