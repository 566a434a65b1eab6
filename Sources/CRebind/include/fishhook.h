/// Lets fishhook's clients compile unchanged: its interface is CRebind's.

#if defined(__linux__) && !defined(fishhook_h)
#define fishhook_h

#include "CRebind.h"

#endif
