/// What the two copies of CRebind in `two-copies` tell each other.

#include <stdbool.h>

struct other_copy {
  void (*apply)(void);
  /// False while there are slots that another hook lies on.
  bool (*restore)(void);
  void (*refresh)(void);
  /// How often its hook has run since it was last asked.
  int (*hooked)(void);
  const void *address;
};
