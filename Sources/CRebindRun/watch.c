/// Notes for a sweep, beside the program's output: where the call was struck, where the program crashed, and which
/// descriptors were closed twice or are open at the end.

#if defined(__linux__)
#define _GNU_SOURCE

#include "run.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define FRAMES 12
#define LINE 512
#define DESCRIPTORS 256

/// Appends a line about a frame.
static size_t append_frame(char *text, size_t length, size_t size, const void *address) {
  Dl_info found;
  const char *name = "", *path = "";
  uintptr_t offset = (uintptr_t)address;
  if (dladdr(address, &found) != 0) {
    path = crebind_run_path(found.dli_fname);
    offset -= (uintptr_t)found.dli_fbase;
    if (found.dli_sname != NULL) name = found.dli_sname;
  }
  int added = snprintf(text + length, size - length, "%s\t0x%lx\t%s\n", path, (long)offset, name);
  return added > 0 && (size_t)added < size - length ? length + (size_t)added : length;
}

/// Notes the frames of this thread from the one with the address on. The first call loads libgcc_s, which must not happen
/// in our constructor: the loader would have libc begin, without the environment. Where a call was struck before a
/// crash, it has not to be loaded in a signal handler.
static void note_frames(uint32_t *place, const void *innermost) {
  uint32_t none = 0, own = crebind_run_allocate(FRAMES * LINE);
  if (own == 0
      || !__atomic_compare_exchange_n(place, &none, own, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  char *text = crebind_run_file + own;
  // This one is there even if the stack is broken, so that the search for the others crashes.
  size_t length = append_frame(text, 0, FRAMES * LINE, innermost);
  void *addresses[FRAMES + 16];
  int count = backtrace(addresses, FRAMES + 16), first = 0;
  while (first < count && addresses[first] != innermost) first++;
  first = first == count ? 0 : first + 1;
  for (int i = first; i < count && i < first + FRAMES - 1; i++)
    length = append_frame(text, length, FRAMES * LINE, addresses[i]);
}

void crebind_run_note_strike(const void *return_address) {
  if (crebind_run_shared()->strike == 0)
    note_frames(&crebind_run_shared()->strike, crebind_stubs_caller(return_address));
}

static void crashed(int signal, siginfo_t *information, void *opaque) {
  ucontext_t *context = opaque;
#if defined(__x86_64__)
  const void *place = (const void *)context->uc_mcontext.gregs[REG_RIP];
#else
  const void *place = (const void *)(uintptr_t)context->uc_mcontext.pc;
#endif
  uint32_t none = 0;
  if (__atomic_compare_exchange_n(&crebind_run_shared()->signal, &none, (uint32_t)signal, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    note_frames(&crebind_run_shared()->crash, place);
  // SA_RESETHAND has the default act next: an instruction that faults does so again, other signals are sent again. A
  // breakpoint, and a system call that a filter traps, lie behind us.
  if (information->si_code <= 0 || signal == SIGTRAP || signal == SIGSYS)
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

/// Lists the descriptors. `exit` comes here last, as our constructor was first.
__attribute__((destructor)) static void list_descriptors(void) {
  if (crebind_run_file == NULL || (crebind_run_shared()->tasks & CREBIND_RUN_WATCHES) == 0
      || crebind_run_shared()->first_process != getpid())
    return;
  uint32_t place = crebind_run_allocate(DESCRIPTORS * LINE);
  if (place == 0) return;
  size_t length = 0, size = DESCRIPTORS * LINE;
  for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
    char link[64], path[LINE - 16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path);
    if (count < 0) continue;
    length += (size_t)snprintf(crebind_run_file + place + length, size - length, "%d %.*s\n",
                               descriptor, (int)count, path);
  }
  crebind_run_shared()->open_at_end = place;
}

void crebind_run_watch(void) {
  int32_t none = 0;
  __atomic_compare_exchange_n(&crebind_run_shared()->first_process, &none, getpid(), false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  static char stack[65536];
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
    action.sa_sigaction = crashed;
    struct sigaction former;
    if (sigaction(signals[i], NULL, &former) == 0 && former.sa_handler == SIG_DFL)
      sigaction(signals[i], &action, NULL);
  }
}

int crebind_run_watched_close(crebind_run_stub *stub, uint64_t descriptor) {
  int result = ((int (*)(int))stub->stub.original)((int)descriptor);
  // Programs close -1 where they have opened nothing.
  if (result == -1 && errno == EBADF && (int)descriptor >= 0)
    __atomic_fetch_add(&crebind_run_shared()->bad_closes, 1, __ATOMIC_RELAXED);
  return result;
}
#endif
