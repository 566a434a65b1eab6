#include "CRebindTesting.h"

#include <unistd.h>

int crebind_testing_fork(void) { return fork(); }
