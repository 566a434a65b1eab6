/// Fails the core's requests for memory, which go past the C library: the kernel hands each mmap
/// and mremap to a handler (seccomp(2) with SECCOMP_RET_TRAP), and those that the program's own
/// code makes may fail there. For machines whose registers are named below.

#include "check.h"
#include "arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
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

/// How many requests are granted until one fails; -1 for all.
static long granted = -1;
static bool has_failed;

/// The sixth argument of a call that the handler makes, where it means nothing: a file's offset
/// of memory that has no file.
enum { IS_GRANTED = 1 << 20 };

extern const char __executable_start[], etext[];

static void handle_request(int signal, siginfo_t *info, void *context) {
  (void)signal;
  ucontext_t *registers = context;
  const char *caller = info->si_call_addr;
  bool is_ours = caller >= __executable_start && caller < etext;
  if (is_ours && granted >= 0 && granted-- == 0) {
    has_failed = true;
    TRAPPED_RESULT(registers) = -ENOMEM;
    return;
  }
  TRAPPED_RESULT(registers) = crebind_raw_call(
      info->si_syscall, (long)TRAPPED(registers, 0), (long)TRAPPED(registers, 1),
      (long)TRAPPED(registers, 2), (long)TRAPPED(registers, 3), (long)TRAPPED(registers, 4),
      IS_GRANTED);
}

/// From now on the requests of this process go by `granted`. False where the kernel has no
/// filters. Mappings of files are never handed over.
static inline bool trap_requests(void) {
  enum { LOAD = 0x20, EQUAL = 0x15, HAS_BITS = 0x45, RETURN = 0x06 };
  enum { ALLOW = 0x7fff0000, TRAP = 0x00030000, PER_FILTER = 2, IS_ANONYMOUS = 0x20 };
  // Offsets into struct seccomp_data: the number, and the low halves of two arguments.
  enum { FLAGS = 16 + 3 * 8, SIXTH = 16 + 5 * 8 };
  struct {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t value;
  } filter[] = {
      {LOAD, 0, 0, 0},
      {EQUAL, 3, 0, SYS_mremap},
      {EQUAL, 0, 4, SYS_mmap},
      {LOAD, 0, 0, FLAGS},
      {HAS_BITS, 0, 2, IS_ANONYMOUS},
      {LOAD, 0, 0, SIXTH},
      {EQUAL, 0, 1, IS_GRANTED},
      {RETURN, 0, 0, ALLOW},
      {RETURN, 0, 0, TRAP},
  };
  const struct {
    unsigned short count;
    void *filter;
  } program = {sizeof filter / sizeof *filter, filter};
  struct sigaction action = {.sa_sigaction = handle_request, .sa_flags = SA_SIGINFO | SA_NODEFER};
  return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0
         && prctl(PR_SET_SECCOMP, PER_FILTER, &program) == 0;
}
