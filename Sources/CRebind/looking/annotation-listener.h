/// Images that carry annotations announce themselves here, from their constructors and
/// destructors: they find the note of type NT_REBIND_LISTENER that this copy of CRebind
/// carries. They call with the loader's lock held, under which ours may be taken; see
/// transactions/attempt.c.

#if defined(__linux__)
#pragma once

#pragma GCC visibility push(hidden)

/// Has images tell us from now on, to count and to mark those that leave.
void crebind_listen(void);

#pragma GCC visibility pop
#endif
