/// The calls that read the lists of scopes. They take no lock. So a thread that takes a scope off a
/// list waits for them.

#ifndef CREBIND_COUNTING_EPOCH_H
#define CREBIND_COUNTING_EPOCH_H

#include "thread-counts.h"

/// Notes that a call of this thread begins to read.
///
/// \returns The argument of `crebind_counting_leave_epoch`.
CREBIND_COUNTING_HIDDEN unsigned crebind_counting_enter_epoch(void);
CREBIND_COUNTING_HIDDEN void crebind_counting_leave_epoch(unsigned parity);

/// Waits until the calls that are reading now have ended. The wait is a tenth of a second at most,
/// because a thread may have been stopped. The caller has the lock.
///
/// \returns Whether they have ended.
CREBIND_COUNTING_HIDDEN bool crebind_counting_wait_for_epoch(void);

/// Whether no call is reading.
CREBIND_COUNTING_HIDDEN bool crebind_counting_has_empty_epochs(void);

/// Forgets the calls of other threads. It is for a forked process, in which these calls will not
/// end.
CREBIND_COUNTING_HIDDEN void crebind_counting_forget_epochs(void);

/// Sleeps. The time may be frozen for others.
CREBIND_COUNTING_HIDDEN void crebind_counting_pause(long nanoseconds);

#endif
