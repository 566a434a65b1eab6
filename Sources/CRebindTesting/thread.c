#if defined(__linux__)
#include "thread.h"

__thread crebind_testing_thread crebind_testing_this_thread;

void crebind_testing_suppress_begin(void) { crebind_reach_this_thread.suppressed++; }

void crebind_testing_suppress_end(void) { crebind_reach_this_thread.suppressed--; }
#endif
