/// Lets fishhook's clients compile unchanged: its interface is CRebind's.

#ifndef fishhook_h
#define fishhook_h

#include "CRebind.h"

#endif
