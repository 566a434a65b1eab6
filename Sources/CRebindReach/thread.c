#if defined(__linux__)
#include "CRebindReach.h"

_Atomic uint32_t crebind_reach_hooks;
__thread crebind_reach_thread crebind_reach_this_thread;
#endif
