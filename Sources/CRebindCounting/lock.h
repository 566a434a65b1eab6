/// The lock of what begins and ends. No counter takes it.

#ifndef CREBIND_COUNTING_LOCK_H
#define CREBIND_COUNTING_LOCK_H

/// A process that forks has it free in the child.
__attribute__((visibility("hidden"))) void crebind_counting_lock(void);
__attribute__((visibility("hidden"))) void crebind_counting_unlock(void);

#endif
