#include "CRebindReach.h"

__thread crebind_reach_thread crebind_reach_this_thread;
