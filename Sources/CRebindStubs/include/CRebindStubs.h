/// Stubs: code that slots are pointed at, which asks a handler about each call and goes on with all of its
/// registers as they were. The end of a call can be awaited, whatever the function's type is.
///
/// An awaited call has its return address replaced by a *trampoline*, code of its own for each pending
/// call. Nothing on the stack is moved or copied, so the callee finds its arguments where they were. One
/// entry of .eh_frame leads from each trampoline to the true return address, so exceptions, backtraces and
/// debuggers find the caller.
///
/// Stubs and trampolines are static, and stay: a call may be pending when its slot is restored.

#if defined(__linux__) && !defined(CREBIND_STUBS_H)
#define CREBIND_STUBS_H

/// The number of stubs. A program that is built of these sources may choose another one.
#ifndef CREBIND_STUBS_COUNT
#define CREBIND_STUBS_COUNT 1024
#endif

/// The bytes of each stub's data, the first of which are a `crebind_stub`. The others are for the handler.
#define CREBIND_STUBS_SIZE 64

/// Asks the hot handler.
#define CREBIND_STUBS_HOT 0x80000000u

/// Where a handler finds the lower halves of the eight registers of floating-point arguments, 16
/// bytes each: this many bytes behind the first integer register. Results have the same layout.
#if defined(__aarch64__)
#define CREBIND_STUBS_NUMBERS 128
#else
#define CREBIND_STUBS_NUMBERS 64
#endif

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nonnull
#define _Nullable
#endif

/// The words that a stub reads.
typedef struct crebind_stub {
  /// Calls go on to it.
  void *_Nullable original;
  /// 0 sends calls on at once. `CREBIND_STUBS_HOT` asks the hot handler; any lower number, such as a
  /// count of users, asks the other handler.
  _Atomic uint32_t is_asked;
  /// The stub's code, and that for calls that resume: they ask the handler whatever `is_asked` is.
  const void *code, *resuming_code;
} crebind_stub;

/// The data of the stub of an index below the count, with its code.
crebind_stub *crebind_stubs_at(size_t index);

/// The index of a stub by its data.
size_t crebind_stubs_index(const crebind_stub *stub);

/// A call that has arrived.
///
/// \param registers The integer argument registers, in the order of the arguments. The handler may
///   change them: the call goes on with the values that it leaves there.
/// \param return_address The place of the return address, for `crebind_stubs_await`.
/// \param is_resuming The call entered at the resuming code.
/// \returns The code to go to.
typedef void *crebind_stubs_handler(crebind_stub *stub, uint64_t *registers,
                                    const void *_Nonnull *_Nonnull return_address,
                                    bool is_resuming);

/// Sets the handler that is asked about calls. Call this before a slot leads to a stub.
void crebind_stubs_prepare(crebind_stubs_handler *handler);

/// Sets the handler of stubs whose calls are only counted, or answered. Only the integer registers are saved
/// around this handler, which takes half the time.
///
/// \param handler Changes no register of floating-point numbers or vectors, and calls nothing that does:
///   `crebind_stubs_await` does not. Compile it with -mgeneral-regs-only, and look at the object file: no
///   instruction has xmm, ymm or zmm, or on AArch64 a register of vectors.
void crebind_stubs_prepare_hot(crebind_stubs_handler *handler);

/// An awaited call.
typedef struct crebind_stubs_pending crebind_stubs_pending;

/// An awaited call has returned.
///
/// \param results The registers of integer results, in order. The registers of floating-point
///   results start `CREBIND_STUBS_NUMBERS` bytes behind the first integer register. The function may
///   change all of them: the call returns the values that it leaves there.
typedef void crebind_stubs_ended(crebind_stubs_pending *pending, uint64_t *results);

struct crebind_stubs_pending {
  crebind_stubs_ended *ended;
  /// For whoever awaits the end.
  uint64_t data[15];
};

/// Awaits the end of the call that the handler is asked about. A call that leaves by longjmp or an
/// exception, and does not return, has no end.
///
/// NULL if too many calls of the thread are pending, or if the processor keeps return addresses itself
/// (a hardware shadow stack). Such calls are counted.
crebind_stubs_pending *_Nullable crebind_stubs_await(const void *_Nonnull *_Nonnull return_address,
                                                     crebind_stubs_ended *ended);

/// Why the end of a function's calls must not be awaited; NULL if it may be. CRebindEntryOnly.def has them.
const char *_Nullable crebind_stubs_entry_only(const char *name);

/// The true return address, where one leads to a trampoline. Complexity: the number of awaited calls that took
/// the place of one another, as tail calls do.
const void *crebind_stubs_caller(const void *return_address);

/// The calls so far whose ends were not awaited though somebody asked.
uint64_t crebind_stubs_not_awaited(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
#endif
