/// The one lock of this core, and forks.
///
/// A forked child has only the thread that forked: with the lock taken, no other one is in the
/// middle of a change, or holds the list's lock for us. So fork(2) waits for the lock. For the
/// order of the locks see transactions/attempt.c.
///
/// A signal handler may fork in the middle of a change on its own thread, which cannot be waited
/// for. That child is left as it is, and may only exec or exit.

#if defined(__linux__)
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Serialises all reads and changes of the records, and every walk over the loaded images. A
/// child forked in the middle of a walk would find the list's lock held for ever. Not recursive.
void crebind_lock(void);
void crebind_unlock(void);
/// For destructors, as a signal may have ended the program in the middle of a call: false
/// if the lock is held.
bool crebind_try_lock(void);

/// Sets right, in a forked child, what other threads were in the middle of without the lock.
struct crebind_fork_handler {
  /// Called under the lock.
  ///
  /// \param parent The forking thread's number in the parent.
  void (*run)(int parent);
  struct crebind_fork_handler *next;
};

/// Registers a handler, for good; from a constructor.
void crebind_handle_forks(struct crebind_fork_handler *handler);

#pragma GCC visibility pop
#endif
