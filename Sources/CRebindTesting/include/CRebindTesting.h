/// The part of RebindTesting that needs C and assembly: the stubs that slots are
/// pointed at, the choice of what a call reaches, and libffi.
///
/// A *hook* is one symbol that is or was rebound; slots lead to its stub. A *scope*
/// is what a test has put on a hook: a handler, a fault or a recorder. A call that
/// arrives at the stub goes to the youngest scope that reaches the calling code,
/// and otherwise on to the original, with all its registers as they were.

#ifndef CREBIND_TESTING_H
#define CREBIND_TESTING_H

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

/// A recorder's call, with the integer and pointer arguments' registers.
typedef void crebind_testing_recorder(void *context, const uint64_t *registers);

/// The number of registers that a recorder sees.
size_t crebind_testing_register_count(void);

/// Calls of a handler through libffi. NULL if memory runs out, or if libffi does not know the
/// types.
///
/// \param types The types of the result and of the arguments, one after another.
crebind_testing_scope *_Nullable crebind_testing_handler_scope(
    crebind_testing_hook *hook, const crebind_testing_type *types, size_t length,
    crebind_testing_handler *handler, void *context);

/// The result that a fault makes a call return, and the calls that it affects.
typedef struct crebind_testing_fault {
  /// The first and the last call that fails, counted from 1.
  uint64_t first, last;
  /// The result of a function that returns an integer or a pointer.
  uint64_t word;
  /// The result of a function that returns a floating-point number.
  double number;
  bool returns_number;
  /// 0 leaves errno alone.
  int error;
} crebind_testing_fault;

/// Calls fail without reaching the original. NULL if memory runs out.
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

/// The calls that have been counted.
uint64_t crebind_testing_fault_calls(const crebind_testing_scope *scope);

/// Calls are reported, and go on to what they would have reached. NULL if memory runs out.
crebind_testing_scope *_Nullable crebind_testing_recorder_scope(
    crebind_testing_hook *hook, crebind_testing_recorder *recorder, void *context);

/// Makes a scope reach calls of the tasks that `crebind_testing_set_task_key`'s
/// value leads from.
///
/// \param outer The scope that the value has led to so far.
void crebind_testing_begin_task(crebind_testing_scope *scope,
                                crebind_testing_scope *_Nullable outer);

/// Makes a scope reach calls of this thread. Ended on the same thread, youngest
/// first.
void crebind_testing_begin_thread(crebind_testing_scope *scope);

/// Makes a scope reach all calls. One call of this or of end at a time.
void crebind_testing_begin_process(crebind_testing_scope *scope);

/// Calls that come from now on pass the scope by.
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

/// Calls, from a scope's handler, what the call would have reached without the
/// scope.
///
/// \param arguments One after another, each at a multiple of
///   `CREBIND_TESTING_SLOT_SIZE`.
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

/// fork(2), with the lock free in the child. This function is provided because Swift
/// does not import `fork`.
int crebind_testing_fork(void);

#pragma clang assume_nonnull end

#endif
