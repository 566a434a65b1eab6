/// Calls of every kind through stubs that await their ends: each has its arguments and gives its result,
/// in whatever way it is made and left. Each case runs in a process of its own.

#include "torture.h"
#include "torture-hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

static int faults;

#define CHECK(condition)                                                                        \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      faults++;                                                                                 \
      fprintf(stderr, "torture.cpp:%d: %s\n", __LINE__, #condition);                            \
    }                                                                                           \
  } while (0)

// MARK: Calls that are left by another way than by returning

struct Guard {
  int *count;
  ~Guard() { ++*count; }
};

static void throw_below(void *context) {
  int depth = *(int *)context;
  if (depth-- == 0) t_throw(7);
  t_call(throw_below, &depth);
}

static void exceptions() {
  for (int i = 0; i < 1000; i++) {
    int depth = i % 50, cleaned = 0;
    try {
      Guard guard{&cleaned};
      t_call(throw_below, &depth);
      CHECK(false);
    } catch (int value) {
      CHECK(value == 7);
    }
    CHECK(cleaned == 1 && t_next(i) == i + 1);
  }
}

static jmp_buf place;
static sigjmp_buf signal_place;

static void jump_below(void *context) {
  int depth = *(int *)context;
  if (depth-- == 0) longjmp(place, 3);
  t_call(jump_below, &depth);
}

static void long_jumps() {
  volatile int jumps = 0;
  for (volatile int i = 0; i < 2000; i++) {
    int depth = i % 20;
    if (setjmp(place) == 0) {
      t_call(jump_below, &depth);
      CHECK(false);
    } else {
      jumps++;
    }
    CHECK(t_next(i) == i + 1);
  }
  CHECK(jumps == 2000);
}

static void jump_out(int) { siglongjmp(signal_place, 1); }

static void raise_below(void *context) {
  int depth = *(int *)context;
  if (depth-- == 0) raise(SIGUSR1);
  t_call(raise_below, &depth);
}

static void jumps_out_of_handlers() {
  signal(SIGUSR1, jump_out);
  for (volatile int i = 0; i < 2000; i++) {
    int depth = i % 20;
    if (sigsetjmp(signal_place, 1) == 0) t_call(raise_below, &depth);
    CHECK(t_next(i) == i + 1);
  }
}

static int ended_threads;

static void exit_below(void *context) {
  int depth = *(int *)context;
  if (depth-- == 0) pthread_exit((void *)5);
  t_call(exit_below, &depth);
}

static void *exiting(void *) {
  Guard guard{&ended_threads};
  int depth = 20;
  t_call(exit_below, &depth);
  return nullptr;
}

/// More calls stay pending than the process has trampolines.
static void threads_with_pending_calls() {
  for (int i = 0; i < 1000; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, exiting, nullptr);
    pthread_join(thread, &result);
    CHECK(result == (void *)5);
  }
  CHECK(ended_threads == 1000);
  long before = ended_calls();
  CHECK(t_next(1) == 2 && ended_calls() == before + 1);
}

static int pipe_of_sleeper[2];

static void sleep_below(void *) {
  char byte;
  CHECK(read(pipe_of_sleeper[0], &byte, 1) == 1);
}

static void *sleeping(void *) {
  Guard guard{&ended_threads};
  t_call(sleep_below, nullptr);
  return nullptr;
}

static void spin_below(void *) {
  for (volatile int value = 0;;) value = t_next(value);
}

static void *spinning(void *) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  t_call(spin_below, nullptr);
  return nullptr;
}

static void cancellation() {
  CHECK(pipe(pipe_of_sleeper) == 0);
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, i % 2 == 0 ? sleeping : spinning, nullptr);
    usleep(2000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED);
  }
  CHECK(ended_threads == 10);
}

// MARK: Whoever looks at the stack

static void trace_below(void *context) {
  int depth = *(int *)context;
  if (depth-- > 0) return t_call(trace_below, &depth);
  void *frames[100];
  int count = backtrace(frames, 100);
  char **lines = backtrace_symbols(frames, count);
  bool has_main = false;
  for (int i = 0; i < count; i++) has_main = has_main || strstr(lines[i], "(main+") != nullptr;
  CHECK(has_main && count > 20);
  free(lines);
}

static void backtraces() {
  int depth = 10;
  t_call(trace_below, &depth);
  CHECK(t_depth() >= 3);
}

// MARK: Processes, signals and threads

static int status_of(pid_t process) {
  int status = 0;
  CHECK(process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void processes() {
  for (volatile int i = 0; i < 20; i++) {
    pid_t process = vfork();
    if (process == 0) {
      if (i % 2 == 0) execl("/bin/true", "true", (char *)nullptr);
      _exit(3);
    }
    CHECK(status_of(process) == (i % 2 == 0 ? 0 : 3));
  }
  pid_t process;
  char name[] = "true", *arguments[] = {name, nullptr};
  CHECK(posix_spawn(&process, "/bin/true", nullptr, nullptr, arguments, environ) == 0);
  CHECK(status_of(process) == 0);
  if ((process = fork()) == 0) exit(t_next(1) + faults);
  CHECK(status_of(process) == 2);
  if ((process = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0) _exit(t_next(1));
  CHECK(status_of(process) == 2);
  CHECK(WEXITSTATUS(system("exit 5")) == 5);
}

static volatile sig_atomic_t ticks;

static void on_alarm(int) {
  int error = errno;
  ticks = ticks + 1;
  CHECK(t_next(ticks) == ticks + 1 && t_weigh_on(1, 2, 3, 4, 5, 6, 7, 8) == 120);
  errno = error;
}

static void signals() {
  stack_t stack = {};
  stack.ss_size = 65536;
  stack.ss_sp = malloc(stack.ss_size);
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  struct itimerval timer = {{0, 200}, {0, 200}}, none = {};
  setitimer(ITIMER_REAL, &timer, nullptr);
  for (long i = 0; (i < 100000 || ticks < 100) && faults == 0; i++)
    CHECK(t_next((int)i) == (int)i + 1 && t_weigh_on(i, 2, 3, 4, 5, 6, 7, 8) == 8 * i + 112);
  setitimer(ITIMER_REAL, &none, nullptr);
}

static void *calling(void *context) {
  for (int i = 0; i < 100; i++)
    if (t_next(i) != i + 1) faults++;
  return context;
}

static void threads() {
  for (int round = 0; round < 10; round++) {
    pthread_t threads[100];
    for (pthread_t &thread : threads) CHECK(pthread_create(&thread, nullptr, calling, nullptr) == 0);
    for (pthread_t &thread : threads) pthread_join(thread, nullptr);
  }
}

// MARK: Other stacks, and deep ones

static ucontext_t main_context, contexts[50];
static int current, live;
static long total;

static void yield(void *) { swapcontext(&contexts[current], &main_context); }

static void coroutine() {
  for (int i = 0; i < 20; i++) {
    t_call(yield, nullptr);
    total += t_next(i);
    CHECK(t_weigh_on(1, 2, 3, 4, 5, 6, 7, 8) == 120);
  }
  live--;
}

/// Behind its end nothing can be read.
static char *stack_before_a_gap(size_t size) {
  long page = sysconf(_SC_PAGESIZE);
  char *stack = (char *)mmap(nullptr, size + (size_t)page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(stack + size, (size_t)page, PROT_NONE);
  return stack;
}

/// Each resumes a call that began before all of the others'.
static void coroutines() {
  bool is_done[50] = {};
  live = 50;
  for (ucontext_t &context : contexts) {
    getcontext(&context);
    context.uc_stack.ss_size = 65536;
    context.uc_stack.ss_sp = stack_before_a_gap(65536);
    context.uc_link = &main_context;
    makecontext(&context, coroutine, 0);
  }
  while (live > 0) {
    for (current = 0; current < 50; current++) {
      if (is_done[current]) continue;
      int before = live;
      swapcontext(&main_context, &contexts[current]);
      is_done[current] = live < before;
    }
  }
  CHECK(total == 50 * 210);
}

#if defined(__x86_64__)
/// Calls a function as the first one of a stack.
__attribute__((naked)) static void call_on(char *, int (*)(int)) {
  __asm__("push %rbp; mov %rsp, %rbp; mov %rdi, %rsp; mov $5, %edi; call *%rsi;"
          "mov %rbp, %rsp; pop %rbp; ret");
}

static void first_frame() {
  char *stack = stack_before_a_gap(65536);
  call_on(stack + 65536, t_next);
  call_on(stack + 65536 - 64, t_next);
  // Not aligned, like the calls of __fentry__.
  call_on(stack + 65536 - 72, t_next);
}
#endif

static void recursion() { CHECK(t_descend(20000) == 20000 && t_descend(60000) == 60000); }

// MARK: Arguments and results

/// Ten numbers from one on.
#define TEN(type, first)                                                                        \
  (type)(first), (type)((first) + 1), (type)((first) + 2), (type)((first) + 3),                 \
      (type)((first) + 4), (type)((first) + 5), (type)((first) + 6), (type)((first) + 7),       \
      (type)((first) + 8), (type)((first) + 9)
#define FIFTY(type, first)                                                                      \
  TEN(type, first), TEN(type, (first) + 10), TEN(type, (first) + 20), TEN(type, (first) + 30),  \
      TEN(type, (first) + 40)

static long weighed(int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += (long)i * (i + 1);
  return sum;
}

static void variadic() {
  CHECK(t_sum(10, TEN(long, 0)) == weighed(10));
  CHECK(t_sum(100, FIFTY(long, 0), FIFTY(long, 50)) == weighed(100));
  CHECK(t_sum_of_numbers(10, TEN(double, 0)) == (double)weighed(10));
  CHECK(t_sum_of_numbers(100, FIFTY(double, 0), FIFTY(double, 50)) == (double)weighed(100));
}

template <typename Bytes> static Bytes filled() {
  Bytes bytes;
  long next = 0;
  for (long &value : bytes.values) value = next++;
  return bytes;
}

static void structures() {
  CHECK(t_sum_of_128(filled<bytes_128>()) == weighed(16));
  CHECK(t_sum_of_512(filled<bytes_512>()) == weighed(64));
  CHECK(t_sum_of_4096(filled<bytes_4096>()) == weighed(512));
  CHECK(t_bytes(5).values[63] == 68);
}

static void results() {
  CHECK(t_product(1.5L, 3) == 4.5L && t_double(2.5f) == 5);
  two_numbers numbers = t_two_numbers(1.25);
  CHECK(numbers.first == 1.25 && numbers.second == 2.5);
  word_and_number both = t_word_and_number(7);
  CHECK(both.first == 7 && both.second == 14);
  __int128 wide = ((__int128)1 << 90) + 5;
  CHECK(t_triple(wide) == wide * 3);
  double _Complex square = t_square(1 + 2i);
  CHECK(__real__ square == -3 && __imag__ square == 4);
  long double _Complex long_square = t_long_square(1.0L + 2.0il);
  CHECK(__real__ long_square == -3 && __imag__ long_square == 4);
  CHECK(t_weigh_on(1, 2, 3, 4, 5, 6, 7, 8) == 120);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) static void vectors_of_256_bits() {
  if (!__builtin_cpu_supports("avx")) return;
  for (int round = 0; round < 100; round++) {
    __m256d values[8], sum;
    for (int i = 0; i < 8; i++) values[i] = _mm256_set_pd(i, 10. * i, 100. * i, 1000. * i);
    sum = t_256(values[0], values[1], values[2], values[3], values[4], values[5], values[6],
                values[7]);
    CHECK(sum[0] == 28000 && sum[1] == 2800 && sum[2] == 280 && sum[3] == 28);
  }
}

__attribute__((target("avx512f"))) static void vectors_of_512_bits() {
  if (!__builtin_cpu_supports("avx512f")) return;
  __m512i values[8];
  long sums[8];
  for (int i = 0; i < 8; i++) values[i] = _mm512_set1_epi64(1l << i);
  _mm512_storeu_si512(sums, t_512(values[0], values[1], values[2], values[3], values[4],
                                  values[5], values[6], values[7]));
  for (long sum : sums) CHECK(sum == 255);
  CHECK(t_is_aligned(1, values[0], values[1], values[2], values[3], values[4], values[5],
                     values[6], values[7], values[0]));
}
#endif

// MARK: The loader, and stubs that come and go

static void loader() {
  CHECK(dlsym(RTLD_NEXT, "t_next") != nullptr && dlsym(RTLD_DEFAULT, "malloc") != nullptr);
  void *library = dlopen("libm.so.6", RTLD_NOW);
  CHECK(library != nullptr && dlclose(library) == 0);
}

static void restore(void *) { unhook(); }

static void restore_while_pending() {
  for (int i = 0; i < 100; i++) {
    long before = ended_calls();
    t_call(restore, nullptr);
    CHECK(ended_calls() > before);
    before = ended_calls();
    CHECK(t_next(1) == 2 && ended_calls() == before);
    hook();
    CHECK(t_next(1) == 2 && ended_calls() > before);
  }
}

// MARK: Cases

static const struct {
  const char *name;
  void (*run)();
  /// All ends are seen: of the pending calls no more than fit are left in another way.
  bool sees_all;
} cases[] = {
    {"exceptions", exceptions, true},
    {"long jumps", long_jumps, true},
    {"jumps out of handlers", jumps_out_of_handlers, true},
    {"threads with pending calls", threads_with_pending_calls, true},
    {"cancellation", cancellation, true},
    {"backtraces", backtraces, true},
    {"processes", processes, true},
    {"signals", signals, true},
    {"threads", threads, true},
    {"coroutines", coroutines, true},
    {"recursion", recursion, false},
    {"variadic", variadic, true},
    {"structures", structures, true},
    {"results", results, true},
    {"loader", loader, true},
    {"restore while pending", restore_while_pending, true},
#if defined(__x86_64__)
    {"first frame", first_frame, true},
    {"vectors of 256 bits", vectors_of_256_bits, true},
    {"vectors of 512 bits", vectors_of_512_bits, true},
#endif
};

int main(int, char **arguments) {
  // Whoever runs the tests may have blocked signals.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  hook();
  int failed = 0, count = 0;
  for (auto &test : cases) {
    if (arguments[1] != nullptr && strcmp(arguments[1], test.name) != 0) continue;
    count++;
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
      alarm(60);
      test.run();
#if defined(__x86_64__)
      CHECK((calls_without_an_end() == 0) == test.sees_all);
#endif
      CHECK(ended_calls() > 0);
      _exit(faults != 0);
    }
    int status;
    waitpid(process, &status, 0);
    if (status == 0) continue;
    failed++;
    fprintf(stderr, "%s: status %d\n", test.name, status);
  }
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512f")) printf("without AVX-512, ");
#endif
  printf("%d of %d cases are right\n", count - failed, count);
  return failed != 0;
}
