/// The facts of the processor that the stubs go by.

#if defined(__linux__) && !defined(CREBIND_STUBS_PROCESSOR_H)
#define CREBIND_STUBS_PROCESSOR_H

#include "layout.h"

/// The bytes of a vector register on x86-64: 16, 32 or 64. Less until `crebind_stubs_look_at_processor`.
extern uint32_t crebind_stubs_width CREBIND_STUBS_HIDDEN;

void crebind_stubs_look_at_processor(void) CREBIND_STUBS_HIDDEN;

/// True if the processor compares return addresses with a stack of its own, on this thread.
bool crebind_stubs_has_shadow_stack(void) CREBIND_STUBS_HIDDEN;

#endif
