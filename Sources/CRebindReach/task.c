#include "CRebindReach.h"

#if defined(__clang__)
#define SWIFT_CALL __attribute__((swiftcall))
#else
/// The same for one argument and a result.
#define SWIFT_CALL
#endif

/// Swift's runtime. It allocates nothing and takes no lock.
SWIFT_CALL extern void *_Nullable swift_task_localValueGet(const void *key);

const void *crebind_reach_task_value(const void *key) { return swift_task_localValueGet(key); }
