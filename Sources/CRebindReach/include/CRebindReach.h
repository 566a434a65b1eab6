/// Whose calls a test's rebindings and counters reach: what both know of a thread and of a task.
///
/// Except for the parts about code, slots that stay, queues, and the preparation of jobs, all of this may run
/// inside malloc or whatever else is rebound. It takes no lock, and calls no function that allocates.

#if defined(__linux__) && !defined(CREBIND_REACH_H)
#define CREBIND_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nullable
#define _Nonnull
#endif

// MARK: - A thread

/// A job of Swift's runtime, by the queue that it was put on.
typedef enum crebind_reach_job {
  /// The thread runs no job, or a job of an executor with its own queue or thread.
  CREBIND_REACH_NO_JOB = 0,
  /// A job of the pool, which has a thread for each core: a default actor's, or one of no actor.
  CREBIND_REACH_POOL_JOB = 1,
  /// A job of the main actor.
  CREBIND_REACH_MAIN_JOB = 2,
} crebind_reach_job;

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
  /// The job that the thread runs now, if jobs are followed.
  crebind_reach_job job;
  /// How many jobs the thread has begun, so that two of them can be told apart.
  uint32_t job_number;
  /// The number of the block that the thread runs now, if a task has put it on a queue; 0 for none.
  uint64_t block;
} crebind_reach_thread;

/// Not 0: hooks act on some functions. If 0, of the fields above only `suppressed` is read; counters
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

/// The number of the task that this thread runs; 0 if it runs none. No other task of the process has it.
uint64_t crebind_reach_task_number(void);

/// The same, or else the number of the block that the thread runs; 0 for neither.
uint64_t crebind_reach_task_or_block(void);

/// Told a task or a block before it runs, by the thread that makes it. Blocks have numbers of their own.
typedef void crebind_reach_new_task(uint64_t number);

/// Calls a function for each task whose first job the runtime hands to libdispatch, and for each block that takes
/// values along. Tasks that start on an actor, on an executor of their own, or at once are not seen.
void crebind_reach_set_new_task(crebind_reach_new_task *handler);

/// To be called with each job that the runtime hands to libdispatch, by the thread that does.
void crebind_reach_note_job(void *job);

/// A number for a block that this thread puts on a queue.
uint64_t crebind_reach_number_block(void);

// MARK: - Jobs of Swift's pool

// Swift's runtime hands each job to libdispatch by `dispatch_async_f(queue, job, run)`. The slot for it in
// libswift_Concurrency leads to `crebind_reach_submit` while jobs are followed.

/// Finds the runtime's code. To be called once, before the slot is changed. False if libswift_Concurrency is not
/// loaded, as in a program that has it linked statically.
///
/// \param main_queue The address of `_dispatch_main_q`.
/// \param get_label `dispatch_queue_get_label`.
bool crebind_reach_prepare_jobs(const void *main_queue, const void *get_label);

/// An address in libswift_Concurrency, once jobs are prepared.
const void *crebind_reach_job_code(void);

/// The replacement for the slot, and the word for its original.
void *crebind_reach_submit_code(void);
void *_Nullable *_Nonnull crebind_reach_submit_original(void);

/// The job that this thread runs.
crebind_reach_job crebind_reach_this_job(void);

// MARK: - Blocks on queues

// A block that a task puts on a queue of libdispatch runs with the task's values of some task-locals. The slots for
// `dispatch_async` and its kind lead to the functions here from the first such value on.

/// Whether any of the scopes that a value leads to has not ended.
typedef bool crebind_reach_has_live(const void *scopes);

/// Has blocks take the values of a task-local along, of two task-locals at most. The bytes of such a value are
/// the pointer to its scopes, and a reference to the object that keeps them.
///
/// \param key The task-local's key.
/// \param type The metadata of its type.
void crebind_reach_take_along(const void *key, const void *type, crebind_reach_has_live *has_live);

/// Finds a function by its name.
typedef void *_Nullable crebind_reach_look_up(const char *name);

/// Finds the runtimes' functions. To be called once, before the slots are changed. False if some are not there, as in a
/// program that has libdispatch linked statically.
bool crebind_reach_prepare_queues(crebind_reach_look_up *look_up);

/// An entry point of libdispatch that takes a block, its replacement, and the word for its original.
typedef struct crebind_reach_entry {
  const char *name;
  void *replacement;
  void *_Nullable original;
} crebind_reach_entry;

/// NULL beyond the last one.
crebind_reach_entry *_Nullable crebind_reach_queue_entry(size_t index);

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

// MARK: - Code of some images

/// The executable segments of some images, such as Swift's runtime and the testing libraries. Those
/// beyond the limit are left out.
typedef struct crebind_reach_code {
  size_t count;
  struct {
    uintptr_t start, end;
  } ranges[48];
} crebind_reach_code;

/// \param path The path of an image, as the loader has it: "" for the program.
typedef bool crebind_reach_is_wanted(const char *path, const void *_Nullable context);

/// Finds the code of the loaded images that are wanted. Calls the loader.
void crebind_reach_find_code(crebind_reach_code *code, crebind_reach_is_wanted *is_wanted,
                             const void *_Nullable context);

/// Finds the memory of those images that is writable from the beginning, in the same way.
void crebind_reach_find_data(crebind_reach_code *data, crebind_reach_is_wanted *is_wanted,
                             const void *_Nullable context);

/// True if the code has this address.
static inline bool crebind_reach_has_code(const crebind_reach_code *code, const void *address) {
  for (size_t i = 0; i < code->count; i++)
    if ((uintptr_t)address >= code->ranges[i].start && (uintptr_t)address < code->ranges[i].end)
      return true;
  return false;
}

// MARK: - Slots that stay as they are

/// A slot, and the word in it.
typedef struct crebind_reach_slot {
  uintptr_t address, word;
} crebind_reach_slot;

/// Slots that still lead to hooks or counters that nobody needs now, so that the next user pays little.
/// Begins as zeros. Used with a lock of the owner's held.
typedef struct crebind_reach_kept_slots {
  /// The loader's counts of the images.
  unsigned long long adds, subs;
  crebind_reach_slot *_Nullable list;
  size_t count, room;
  /// Memory has run out for some of them.
  bool lacks_some;
} crebind_reach_kept_slots;

/// Notes which images are loaded, and forgets all slots. To be called before the slots are found, so that
/// images which come meanwhile are a change.
void crebind_reach_note_images(crebind_reach_kept_slots *slots);

/// Notes a slot. The pointer of a slot in an image that is loaded is read until images change.
void crebind_reach_note_slot(crebind_reach_kept_slots *slots, uintptr_t address, uintptr_t word);

typedef enum crebind_reach_change {
  CREBIND_REACH_UNCHANGED,
  /// Somebody has stored into a slot.
  CREBIND_REACH_WORDS_CHANGED,
  /// Images have come or gone; or memory ran out, and nobody knows.
  CREBIND_REACH_IMAGES_CHANGED,
} crebind_reach_change;

/// Compares what was noted with what is there.
crebind_reach_change crebind_reach_find_change(const crebind_reach_kept_slots *slots);

/// Frees the list.
void crebind_reach_forget_slots(crebind_reach_kept_slots *slots);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
