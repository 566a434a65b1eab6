/// The lock of what begins and ends. No counter takes it.

#if defined(__linux__) && !defined(CREBIND_COUNTING_LOCK_H)
#define CREBIND_COUNTING_LOCK_H

/// After a fork, the lock is free in the child. A signal handler that forks does not wait for its own
/// thread. That thread then holds the lock in the child, too, until the handler has returned and the
/// thread goes on.
__attribute__((visibility("hidden"))) void crebind_counting_lock(void);
__attribute__((visibility("hidden"))) void crebind_counting_unlock(void);

#endif
