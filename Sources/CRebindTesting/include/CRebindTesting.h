/// The part of RebindTesting that needs C and assembly: the stubs that slots are
/// pointed at, the choice of what a call reaches, and libffi.
///
/// A *hook* is one symbol that is or was rebound; slots lead to its stub. A *scope*
/// is what a test has put on hooks: a handler, a fault, a recorder or a clock. A call that
/// arrives at the stub goes to the youngest scope that reaches the calling code,
/// and otherwise on to the original, with all its registers as they were.

#if defined(__linux__) && !defined(CREBIND_TESTING_H)
#define CREBIND_TESTING_H

#include <CRebindSites.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: - Hooks

typedef struct crebind_testing_hook crebind_testing_hook;
typedef struct crebind_testing_scope crebind_testing_scope;

/// The number of hooks: a program can rebind so many symbols.
size_t crebind_testing_hook_limit(void);

/// The hook of an index below the limit. Hooks are static: a call may still be
/// inside a stub long after its slot was restored.
crebind_testing_hook *crebind_testing_hook_at(size_t index);

/// The code that slots are pointed at.
void *crebind_testing_hook_stub(const crebind_testing_hook *hook);

/// The word for the original that the stub jumps to; for `crebind_apply`.
void *_Nullable *_Nonnull crebind_testing_hook_original(crebind_testing_hook *hook);

// MARK: - Signatures

/// The kinds of value that a C function takes and returns.
typedef enum crebind_testing_type : uint8_t {
  CREBIND_TESTING_VOID,
  CREBIND_TESTING_SINT8,
  CREBIND_TESTING_UINT8,
  CREBIND_TESTING_SINT16,
  CREBIND_TESTING_UINT16,
  CREBIND_TESTING_SINT32,
  CREBIND_TESTING_UINT32,
  CREBIND_TESTING_SINT64,
  CREBIND_TESTING_UINT64,
  CREBIND_TESTING_FLOAT,
  CREBIND_TESTING_DOUBLE,
  CREBIND_TESTING_POINTER,
  /// Followed by its fields' types and `CREBIND_TESTING_END`.
  CREBIND_TESTING_STRUCTURE,
  CREBIND_TESTING_END,
} crebind_testing_type;

/// The size in bytes that every argument's place has in the arrays that
/// `crebind_testing_call_original` takes: that of the largest value.
#define CREBIND_TESTING_SLOT_SIZE 32

/// The size and alignment that C gives a type; size 0 if it is malformed.
typedef struct crebind_testing_layout {
  size_t size, alignment;
} crebind_testing_layout;

crebind_testing_layout crebind_testing_layout_of(const crebind_testing_type *type, size_t length);

// MARK: - Scopes

/// A handler's call. Results are written to `result`, whatever their size.
typedef void crebind_testing_handler(void *context, void *result,
                                     void *_Nonnull const *_Nonnull arguments);

/// A call as a recorder sees it.
typedef struct crebind_testing_record {
  /// The registers of integer and pointer arguments.
  const uint64_t *registers;
  /// The lower halves of the eight registers of floating-point arguments.
  uint64_t numbers[8];
  /// The return address.
  const void *caller;
  /// The thread's number, and that of its Swift task; 0 if it runs none.
  int thread;
  uint64_t task;
  /// Swift's runtime has made the call; for an allocation, a library built on it may have.
  bool is_of_runtime;
} crebind_testing_record;

/// Returns a number of the call, for `crebind_testing_observer`.
typedef uint64_t crebind_testing_recorder(void *context, const crebind_testing_record *record);

/// The end of a recorded call.
typedef struct crebind_testing_outcome {
  /// The registers of results: of integers and pointers, and the lower half of that of floating-point
  /// numbers.
  uint64_t word, number;
  /// `errno` when the call returned.
  int error;
  /// The return address, and the place where it was on the stack.
  const void *_Nullable caller;
  const void *_Nullable place;
} crebind_testing_outcome;

/// A recorded call has returned.
typedef void crebind_testing_observer(void *context, uint64_t call,
                                      const crebind_testing_outcome *outcome);

/// The path of the loaded image that has an address; NULL if none has. This function is provided
/// because Swift does not import `dladdr`.
const char *_Nullable crebind_testing_image_path(const void *address);

/// True if an image of this path or file name is loaded.
bool crebind_testing_is_loaded(const char *name);

/// The bytes of a text before its end, or `limit` if that is less; -1 if not all of them can be read.
ptrdiff_t crebind_testing_text_length(const char *text, size_t limit);

/// The number of registers that a recorder sees.
size_t crebind_testing_register_count(void);

/// Takes the addresses of libffi's functions, before anything needs them. On one thread at a time.
void crebind_testing_use_libffi(void *ffi_prep_cif, void *ffi_call, void *ffi_closure_alloc,
                                void *ffi_closure_free, void *ffi_prep_closure_loc);

/// Calls of a handler through libffi. NULL if memory runs out, or if libffi is not there or does not know
/// the types.
///
/// \param types The types of the result and of the arguments, one after another.
/// \param rest How many of the arguments, the last ones, are words of a variadic function that the handler
///   has not stated. `crebind_testing_call_original` passes them on as they came.
crebind_testing_scope *_Nullable crebind_testing_handler_scope(
    crebind_testing_hook *hook, const crebind_testing_type *types, size_t length, size_t rest,
    crebind_testing_handler *handler, void *context);

/// The ways in which a fault ends a call.
typedef enum crebind_testing_result_kind : uint8_t {
  /// Returns `word`: an integer or a pointer.
  CREBIND_TESTING_RETURN_WORD,
  /// Returns the floating-point number whose bits `word` has, in the lower half for a `float`.
  CREBIND_TESTING_RETURN_NUMBER,
  /// Goes on to `code`, which returns a structure.
  CREBIND_TESTING_RETURN_STRUCTURE,
  /// Lets the call go on with its argument of `index` at most `word`.
  CREBIND_TESTING_RETURN_SHORT,
  /// Lets the call go on.
  CREBIND_TESTING_RETURN_ORIGINAL,
} crebind_testing_result_kind;

typedef struct crebind_testing_result {
  crebind_testing_result_kind kind;
  uint8_t index;
  /// `errno` of the call; 0 leaves it alone.
  int error;
  uint64_t word;
  void *_Nullable code;
} crebind_testing_result;

/// The kinds of condition.
typedef enum crebind_testing_condition_kind : uint8_t {
  /// An integer from `low` to `high`.
  CREBIND_TESTING_INTEGER,
  /// All bits of `low`.
  CREBIND_TESTING_FLAGS,
  /// A pointer to `text`, or to a text that begins with it.
  CREBIND_TESTING_TEXT,
  CREBIND_TESTING_PREFIX,
  /// A caller in the image that `text` names.
  CREBIND_TESTING_CALLER,
} crebind_testing_condition_kind;

typedef struct crebind_testing_condition {
  crebind_testing_condition_kind kind;
  /// The argument, among those in registers for integers and pointers.
  uint8_t index;
  /// The argument's bytes.
  uint8_t size;
  bool is_signed;
  uint64_t low, high;
  const char *_Nullable text;
} crebind_testing_condition;

/// The calls that a fault strikes, and their results.
typedef struct crebind_testing_fault {
  /// The first and the last call that may be struck, counted from 1, among those that fulfil all
  /// conditions; `every` is the distance from one to the next.
  uint64_t first, last, every;
  /// The part of UINT64_MAX of the calls that are struck, chosen by `seed`.
  uint64_t chance, seed;
  /// The results of the struck calls, in order; the last one for all further. At least one.
  const crebind_testing_result *results;
  size_t result_count;
  const crebind_testing_condition *_Nullable conditions;
  size_t condition_count;
  /// How long a struck call waits, in nanoseconds.
  uint64_t delay;
  /// The descriptor that is the first argument is closed nonetheless, as by a close(2) that fails.
  bool closes;
} crebind_testing_fault;

/// Code for `CREBIND_TESTING_RETURN_STRUCTURE`, which returns these bytes. It stays for good, since
/// a call may be on its way. NULL if memory runs out, or if libffi is not there or does not know the type.
void *_Nullable crebind_testing_structure_code(const crebind_testing_type *type, size_t length,
                                               const void *bytes, size_t size);

/// Calls fail without reaching the original. Copies the fault's arrays. NULL if memory runs out.
///
/// Calls by Swift's runtime itself are left alone: it reads memory and writes a backtrace when a
/// test crashes, and would wait for ever.
///
/// \param spares_libraries Leaves calls alone that Swift's libraries, Foundation and the
///   testing libraries make, too.
crebind_testing_scope *_Nullable crebind_testing_fault_scope(crebind_testing_hook *hook,
                                                             crebind_testing_fault fault,
                                                             bool spares_libraries);

/// Changes which calls fail, and starts counting anew.
void crebind_testing_fault_reset(crebind_testing_scope *scope, uint64_t first, uint64_t last);

/// The calls that have fulfilled the conditions.
uint64_t crebind_testing_fault_calls(const crebind_testing_scope *scope);

/// Calls are reported, and go on to what they would have reached. NULL if memory runs out.
///
/// \param observer Called when a call has returned. NULL keeps no call until then, as needed for
///   functions that look at their caller or return twice.
/// \param marks_libraries Calls of Swift's libraries, Foundation and the testing libraries are the
///   runtime's too.
crebind_testing_scope *_Nullable crebind_testing_recorder_scope(
    crebind_testing_hook *hook, crebind_testing_recorder *recorder,
    crebind_testing_observer *_Nullable observer, void *context, bool marks_libraries);

/// When a call of a function blocks its thread.
typedef enum crebind_testing_blocking_rule : uint8_t {
  /// If the thread slept, and for longer than the threshold.
  CREBIND_TESTING_BLOCKS_IF_LONG,
  /// If the thread slept, for however long.
  CREBIND_TESTING_BLOCKS_IF_IT_SLEPT,
  /// Each call.
  CREBIND_TESTING_BLOCKS_ALWAYS,
  /// sleep(3) and usleep(3), for any time but none.
  CREBIND_TESTING_BLOCKS_FOR_TIME,
  /// pthread_cond_wait(3) and its kind, if it slept for longer than the threshold.
  CREBIND_TESTING_BLOCKS_ON_CONDITION,
  /// syscall(2) that waits for a futex, if it slept for longer than the threshold.
  CREBIND_TESTING_BLOCKS_ON_FUTEX,
  /// waitpid(2) and wait4(2), and waitid(2), without WNOHANG.
  CREBIND_TESTING_BLOCKS_FOR_CHILD,
  CREBIND_TESTING_BLOCKS_FOR_CHILD_OF_ID,
  /// Never, and neither do the functions that it calls to wait.
  CREBIND_TESTING_BLOCKS_NEVER,
} crebind_testing_blocking_rule;

typedef struct crebind_testing_blocking {
  /// A bit, `1 << job`, for each `crebind_reach_job` whose threads are looked at.
  uint32_t jobs;
  /// In nanoseconds.
  uint64_t threshold;
  /// Whether futexes of locks count, and whether other futexes do.
  bool includes_locks, includes_waits;
} crebind_testing_blocking;

/// Calls that block threads of jobs are noted, and go on. NULL if memory runs out.
crebind_testing_scope *_Nullable crebind_testing_blocking_scope(
    crebind_testing_hook *_Nonnull const *_Nonnull hooks,
    const crebind_testing_blocking_rule *rules, size_t count, crebind_testing_blocking settings);

/// Where the calls came from. A site's function is twice the index of its hook, and one more for a futex that is a
/// lock. Its amount is nanoseconds.
crebind_reach_sites *crebind_testing_blocking_sites(const crebind_testing_scope *scope);

/// A call that has not returned yet.
typedef struct crebind_testing_under_way {
  /// The same number as a site's.
  uint32_t function;
  const void *_Nullable caller;
  /// How long it has taken so far.
  uint64_t nanoseconds;
} crebind_testing_under_way;

/// Gives a call that takes longer than it may, for a scope of the process. Nobody can tell whether its thread sleeps.
///
/// \param position 0 for the first one. Receives what gives the next one.
/// \returns false for no more.
bool crebind_testing_blocking_next(const crebind_testing_scope *scope, size_t *position,
                                   crebind_testing_under_way *call);

/// The calls whose ends could not be awaited.
uint64_t crebind_testing_blocking_unseen(const crebind_testing_scope *scope);

/// The functions that open and close descriptors; NULL behind the last one.
const char *_Nullable crebind_testing_descriptor_function(size_t index);

/// Descriptors that are opened are noted until they are closed. NULL if memory runs out.
///
/// \param hooks Those of the functions, in their order.
crebind_testing_scope *_Nullable crebind_testing_descriptor_scope(
    crebind_testing_hook *_Nonnull const *_Nonnull hooks);

/// A descriptor that is open still, or that was closed though it was closed already.
typedef struct crebind_testing_descriptor {
  int number;
  bool is_closed_twice;
  /// Foundation or libdispatch has opened it.
  bool is_of_library;
  /// The index of the function that opened it, or closed it again, and where the call came from.
  size_t function;
  crebind_reach_site site;
} crebind_testing_descriptor;

/// Gives a descriptor of a scope: first those that are open, by number.
///
/// \param position 0 for the first one. Receives what gives the next one.
/// \returns false for no more.
bool crebind_testing_next_descriptor(const crebind_testing_scope *scope, size_t *position,
                                     crebind_testing_descriptor *descriptor);

/// The table of the sites; NULL before the first scope is made.
crebind_reach_sites *_Nullable crebind_testing_descriptor_sites(void);

/// The calls that may have opened or closed a descriptor, and could not be followed.
uint64_t crebind_testing_unseen_descriptors(const crebind_testing_scope *scope);

/// Leaves the descriptors of a scope that is to end to the next older one that reaches the calling code.
void crebind_testing_pass_on_descriptors(const crebind_testing_scope *scope);

/// The functions by which C tells the time of day; NULL behind the last one.
const char *_Nullable crebind_testing_frozen_function(size_t index);

/// The time of day stands still. NULL if memory runs out.
///
/// \param hooks Those of the functions, in their order.
crebind_testing_scope *_Nullable crebind_testing_frozen_scope(
    crebind_testing_hook *_Nonnull const *_Nonnull hooks, int64_t seconds, int64_t nanoseconds);

/// The functions that give random numbers; NULL behind the last one.
const char *_Nullable crebind_testing_random_function(size_t index);

/// Random numbers are those of a seed: for each task and each block on a queue, those of its place among its creator's.
/// NULL if memory runs out.
///
/// \param hooks Those of the functions, in their order.
crebind_testing_scope *_Nullable crebind_testing_seeded_scope(
    crebind_testing_hook *_Nonnull const *_Nonnull hooks, uint64_t seed);

/// How many tasks such a scope did not see begin. Their numbers depend on the order in which they first drew.
uint64_t crebind_testing_unordered_tasks(const crebind_testing_scope *scope);

// MARK: - Counts

/// The calls that arrived at a scope's hooks from its beginning to its end, or so far. Calls that
/// handlers make are not counted.
typedef struct crebind_testing_counts {
  /// The calls that the scope reaches.
  uint64_t in_reach;
  /// The calls of other tasks or threads.
  uint64_t out_of_reach;
  /// The calls in reach that failed, that a handler was called for, or that were recorded.
  uint64_t struck;
  /// The calls of Swift's runtime and of the testing libraries, which a fault leaves alone.
  uint64_t spared;
} crebind_testing_counts;

crebind_testing_counts crebind_testing_counts_of(const crebind_testing_scope *scope);

/// The youngest scope of a hook that reaches the calling code and is older than one with this serial, or NULL. With
/// `crebind_testing_lock` held it stays.
crebind_testing_scope *_Nullable crebind_testing_innermost(const crebind_testing_hook *hook,
                                                           uint64_t serial);

// MARK: - Reach

/// Makes a scope reach calls of the tasks that `crebind_testing_set_task_key`'s
/// value leads from.
///
/// \param outer The scope that the value has led to so far.
void crebind_testing_begin_task(crebind_testing_scope *scope,
                                crebind_testing_scope *_Nullable outer);

/// Makes a scope reach calls of this thread. Ended on the same thread, youngest
/// first.
void crebind_testing_begin_thread(crebind_testing_scope *scope);

/// Has a scope of the process tell each call that it strikes and that a Swift task makes, on the task's
/// thread. Calls by testing libraries are left out. To be called before the scope begins.
void crebind_testing_set_meeting(crebind_testing_scope *scope,
                                 void (*meet)(void *_Nullable context), void *_Nullable context);

/// Makes a scope reach all calls. One call of this or of end at a time.
void crebind_testing_begin_process(crebind_testing_scope *scope);

/// Later calls ignore the scope.
void crebind_testing_end_task(crebind_testing_scope *scope);
void crebind_testing_end_thread(crebind_testing_scope *scope);
void crebind_testing_end_process(crebind_testing_scope *scope);

/// Whether a call of an ended process scope is still under way.
bool crebind_testing_is_busy(const crebind_testing_scope *scope);

/// Frees a scope that has ended, that is not busy, and that no task's value leads
/// to any more.
void crebind_testing_free(crebind_testing_scope *scope);

/// The task-local value's key. Its value starts with a pointer to the youngest
/// scope, or NULL.
void crebind_testing_set_task_key(const void *key);

/// Has blocks on queues take the task-local value along.
///
/// \param type The metadata of the value's type.
void crebind_testing_follow_queues(const void *type);

/// Calls, from a scope's handler, what the call would have reached without the
/// scope.
///
/// \param arguments The arguments that the handler has stated, one after another, each at a multiple
///   of `CREBIND_TESTING_SLOT_SIZE`. Words that the handler has not stated are taken from the call
///   that this thread handles; on another thread they are 0.
/// \param result It has `CREBIND_TESTING_SLOT_SIZE` bytes.
void crebind_testing_call_original(crebind_testing_scope *scope, void *result, void *arguments);

// MARK: - The machinery's own calls

/// From here to the end, calls of this thread reach the originals. Nests.
void crebind_testing_suppress_begin(void);
void crebind_testing_suppress_end(void);

// MARK: - Processes

/// The lock of the table of hooks. These functions are provided because Swift's
/// `Mutex` belongs to a thread's number, which a forked process does not share.
void crebind_testing_lock(void);
void crebind_testing_unlock(void);

/// How far a sweep's child is.
enum {
  /// It waits for its parent.
  CREBIND_TESTING_FORKED,
  /// It runs its body.
  CREBIND_TESTING_RUNNING,
  /// The body has ended, and the child waits again.
  CREBIND_TESTING_ENDED,
  CREBIND_TESTING_MAY_EXIT,
};

/// Memory that a sweep's child shares with its parent. No file descriptor is needed, which the child's
/// body could run out of or close.
typedef struct crebind_testing_exchange crebind_testing_exchange;

/// NULL if memory runs out.
crebind_testing_exchange *_Nullable crebind_testing_exchange_make(void);
void crebind_testing_exchange_free(crebind_testing_exchange *exchange);

/// The calls that the child has counted.
uint64_t crebind_testing_exchange_calls(const crebind_testing_exchange *exchange);

/// The text of the error that the body has thrown; NULL if it has returned.
const char *_Nullable crebind_testing_exchange_error(const crebind_testing_exchange *exchange);

/// fork(2) for a sweep, with the lock free in the child. There it returns when the parent has advanced
/// to `CREBIND_TESTING_RUNNING`. The child dies with its parent's thread.
int crebind_testing_fork(crebind_testing_exchange *exchange);

/// Stores the outcome of the child's body for the parent, waits for `CREBIND_TESTING_MAY_EXIT`, and exits.
///
/// \param error The text of the error that the body has thrown; NULL if it has returned.
_Noreturn void crebind_testing_child_end(crebind_testing_exchange *exchange, uint64_t calls,
                                         const char *_Nullable error);

/// Calls of close(2) in a sweep's child are looked at, and go on. NULL if memory runs out.
crebind_testing_scope *_Nullable crebind_testing_close_watch(crebind_testing_hook *hook);

/// The descriptors that the child's body closed and closed again, in order: the one of an index, or
/// -1 behind the last one.
int crebind_testing_exchange_closed_twice(const crebind_testing_exchange *exchange, size_t index);

/// Lets the child go on to a phase.
void crebind_testing_advance(crebind_testing_exchange *exchange, uint32_t phase);
uint32_t crebind_testing_phase(const crebind_testing_exchange *exchange);

/// A sleep that a process was found in. Begins as zeros.
typedef struct crebind_testing_sleep {
  char line[256];
} crebind_testing_sleep;

/// Whether a process of one thread waits for a lock of its own that nobody can open any more: twice in
/// the same sleep. False too where the system does not say.
bool crebind_testing_is_stuck(int process, crebind_testing_sleep *sleep);

#pragma clang assume_nonnull end

#endif
