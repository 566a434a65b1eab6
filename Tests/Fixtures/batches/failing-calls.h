/// Fails the core's system calls, which go past the C library. The kernel hands each call of some
/// numbers to a handler (SECCOMP_RET_TRAP), and those that the program's own code makes may fail
/// there. For machines whose registers are named below.

#include "arch/arch.h"
#include "call-filter.h"
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined __x86_64__
#define TRAPPED(context, i) \
  ((context)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8}[i]])
#define TRAPPED_RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined __aarch64__
#define TRAPPED(context, i) ((context)->uc_mcontext.regs[i])
#define TRAPPED_RESULT(context) ((context)->uc_mcontext.regs[0])
#endif

/// The `errno` that a call of the core's fails with, or 0; asked at each call, with its first and
/// its third argument. NULL: none fails.
static int (*refusal)(long number, long first, long third);

/// Answers a call of the core's in the kernel's place, if it returns true. NULL: none.
static bool (*emulation)(long number, const long arguments[5], long *result);

/// The sixth argument of a call that the handler makes, where it means nothing: only of memory
/// that has no file, it is the file's offset.
enum { IS_GRANTED = 1 << 20 };

extern const char __executable_start[], etext[];

static void handle_call(int signal, siginfo_t *info, void *context) {
  (void)signal;
  ucontext_t *registers = context;
  const char *caller = info->si_call_addr;
  bool is_ours = caller >= __executable_start && caller < etext;
  long arguments[5], answer;
  for (int i = 0; i < 5; i++) arguments[i] = (long)TRAPPED(registers, i);
  if (is_ours && emulation != NULL && emulation(info->si_syscall, arguments, &answer)) {
    TRAPPED_RESULT(registers) = answer;
    return;
  }
  int error = is_ours && refusal != NULL
                  ? refusal(info->si_syscall, (long)TRAPPED(registers, 0),
                            (long)TRAPPED(registers, 2))
                  : 0;
  TRAPPED_RESULT(registers) =
      error != 0 ? -error
                 : crebind_raw_call(info->si_syscall, (long)TRAPPED(registers, 0),
                                    (long)TRAPPED(registers, 1), (long)TRAPPED(registers, 2),
                                    (long)TRAPPED(registers, 3), (long)TRAPPED(registers, 4),
                                    IS_GRANTED);
}

/// From now on the calls of this process with these numbers go by `refusal`. False where the
/// kernel has no filters. Mappings of files are never handed over.
static inline bool trap_calls(const long *numbers, size_t count) {
  enum { IS_ANONYMOUS = 0x20, MOST = 16 };
  struct filter_step filter[MOST + 8] = {{LOAD, 0, 0, CALL_NUMBER}};
  CHECK(count <= MOST);
  size_t end = 1;
  // To the step that looks for memory without a file, or to the one behind it.
  for (size_t i = 0; i < count; i++, end++)
    filter[end] = (struct filter_step){
        EQUAL, (uint8_t)(count - i + (numbers[i] == SYS_mmap ? 0 : 2)), 0, (uint32_t)numbers[i]};
  const struct filter_step rest[] = {
      {RETURN, 0, 0, ALLOW},
      {LOAD, 0, 0, CALL_ARGUMENT(3)},
      {HAS_BITS, 0, 2, IS_ANONYMOUS},
      {LOAD, 0, 0, CALL_ARGUMENT(5)},
      {EQUAL, 0, 1, IS_GRANTED},
      {RETURN, 0, 0, ALLOW},
      {RETURN, 0, 0, TRAP},
  };
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) filter[end++] = rest[i];
  struct sigaction action = {.sa_sigaction = handle_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
  return sigaction(SIGSYS, &action, NULL) == 0 && filter_calls(filter, end);
}
