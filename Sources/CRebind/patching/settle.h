/// Waits until no thread can still be inside of a lazy resolver that it entered
/// before.

#if defined(__linux__)
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// True in a process with one thread, by the kernel's count; false without /proc. Ask before a
/// store: a thread that has stored after us may have ended since.
bool crebind_is_alone(void);

/// glibc's `_dl_fixup` looks a symbol up and stores the result a few instructions later; a thread
/// that was preempted in between overwrites what we stored. dlsym has such a window, too: see
/// planning/postponed.h. A thread has left that window once it has used a millisecond of processor
/// time since, or has been seen blocked. Inside, it can only block on the loader's lock, which is
/// taken for a symbol of an image that may be unloaded. The kernel says what a thread waits for.
/// Waits a second at most for a thread that gets no processor, and one more for those that wait for
/// the loader. The call does not wait again for a thread that an earlier call has let go. Nor does
/// it wait for threads that wait for the loader, if this thread is in one of our wrappers around
/// dlopen, and so has the loader's lock.
///
/// - Complexity: O(threads): a system call for each, and reading one file for those that have
///   run since the last call.
/// \returns False if a thread may still be inside.
bool crebind_settle(void);

/// Waits only for threads that wait for the loader's lock, as in dlsym. It does not wait for
/// threads that run.
bool crebind_settle_waiting(void);

/// True once the threads have left that earlier calls stopped waiting for. Call it under our lock.
///
/// - Complexity: O(these threads): a system call for each, and reading one file.
bool crebind_settle_is_over(void);

#pragma GCC visibility pop
#endif
