/// Whose calls a test's rebindings and counters reach: what both know of a thread and of a task.
///
/// All of this may run inside malloc, or inside whatever else is rebound. It takes no lock, and calls
/// no function that allocates.

#ifndef CREBIND_REACH_H
#define CREBIND_REACH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nullable
#endif

// MARK: - A thread

typedef struct crebind_reach_thread {
  /// Not 0: the calls are the machinery's own. They reach the originals, and are not counted.
  uint32_t suppressed;
  /// While a counter or a hook passes a call on: where to, and the code that made the call. The counter
  /// or hook that begins at `callee` takes `caller` for its own; others inside of the original do not.
  const void *_Nullable callee;
  const void *_Nullable caller;
  /// The hook that has answered the thread's last call itself, in place of the original: its stub. A
  /// counter that passed the call on to that stub does not count it.
  const void *_Nullable answered;
} crebind_reach_thread;

/// Not 0: hooks act on some functions. Else nobody reads the fields above but `suppressed`, and counters
/// leave them alone.
extern _Atomic uint32_t crebind_reach_hooks;

/// In the static TLS block, because the first access to dynamic TLS allocates, and malloc may be the
/// function that is rebound.
extern __thread crebind_reach_thread crebind_reach_this_thread
    __attribute__((tls_model("initial-exec")));

// MARK: - A task

/// The current task's value of a task-local, or outside of a task the thread's; NULL if it has none.
///
/// \param key The task-local's key: the address of its declaration, an object.
const void *_Nullable crebind_reach_task_value(const void *key);

// MARK: - Blocks of the threads

/// The head of a block of memory that one thread writes and others read, such as its counters. A
/// block stays when its thread ends, and another thread goes on with it.
typedef struct crebind_reach_block {
  struct crebind_reach_block *_Nullable next;
  /// The thread's number.
  _Atomic int owner;
  /// The process that made the block. A forked process takes over none of its parent's: the thread
  /// that forked goes on with its own.
  int process;
} crebind_reach_block;

/// All blocks of a kind, the youngest first.
typedef _Atomic(crebind_reach_block *_Nullable) crebind_reach_blocks;

/// Gives this thread a block of zeros, or one that an ended thread has left; NULL if memory runs out.
/// Leaves errno alone. Costs a system call for each live thread that has a block.
///
/// \param size The size of the kind's blocks, with the head.
crebind_reach_block *_Nullable crebind_reach_claim(crebind_reach_blocks *blocks, size_t size);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
