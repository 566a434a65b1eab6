/// The lock of what begins and ends. No counter takes it.

#ifndef CREBIND_COUNTING_LOCK_H
#define CREBIND_COUNTING_LOCK_H

/// A process that forks has it free in the child. A signal handler that forks does not wait for its own
/// thread, which then holds it in the child, too, until the handler returns and it goes on.
__attribute__((visibility("hidden"))) void crebind_counting_lock(void);
__attribute__((visibility("hidden"))) void crebind_counting_unlock(void);

#endif
