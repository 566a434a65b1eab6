/// A program that ends in many ways, and the library that it calls. The library counts in a file that all processes
/// map, so that its sum is there however they end.
///
///   ends FILE WAY

#define _GNU_SOURCE

#include <dlfcn.h>
#include <sys/prctl.h>
#include <linux/seccomp.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int counted(int number);

#if defined(LIBRARY)

static _Atomic long *sum;
int counted(int number) {
  ++*sum;
  return number;
}

__attribute__((constructor)) static void begin(int count, char **arguments) {
  int file = count > 1 ? open(arguments[1], O_RDWR) : -1;
  sum = mmap(NULL, sizeof *sum, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (sum == MAP_FAILED) abort();
  close(file);
}

#else

#define MANY 400

static char **words;
static pthread_barrier_t all_are_there;

static void call(int times) {
  for (int i = 0; i < times; i++) counted(i);
}

static void *thread(void *unused) {
  call(100);
  return unused;
}

/// The barrier keeps as many threads alive at the same time as it has places.
static void *thread_among_all(void *unused) {
  call(50);
  pthread_barrier_wait(&all_are_there);
  call(50);
  return unused;
}

static void *endless_thread(void *unused) {
  call(100);
  pthread_barrier_wait(&all_are_there);
  for (;;) pause();
  return unused;
}

static void start(pthread_t *threads, int count, void *(*body)(void *)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 0x10000);
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], &attributes, body, NULL) != 0) abort();
}

static void await(pthread_t *threads, int count) {
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void call_at_exit(void) { call(10); }

static void execute(char **environment) {
  char *arguments[] = {words[0], words[1], "return", NULL};
  execve("/proc/self/exe", arguments, environment);
  abort();
}

// MARK: - The ways

static void return_from_main(void) {}
static void end_by_exit(void) { atexit(call_at_exit), exit(3); }
static void end_by__exit(void) { _exit(3); }
static void end_by_quick_exit(void) { at_quick_exit(call_at_exit), quick_exit(3); }
static void end_by_system_call(void) { syscall(SYS_exit_group, 3); }
static void end_by_abort(void) { abort(); }
static void end_by_fault(void) { *(volatile int *)8 = 1; }
static void end_by_kill(void) { kill(getpid(), SIGKILL); }

/// The others are in the middle of a call, of nothing, or waiting.
static void kill_with_threads(void) {
  pthread_t threads[9];
  pthread_barrier_init(&all_are_there, NULL, 9);
  start(threads, 8, endless_thread);
  pthread_barrier_wait(&all_are_there);
  kill(getpid(), SIGKILL);
}

/// The process goes on until its last thread ends.
static void leave_main_thread(void) {
  pthread_t other;
  start(&other, 1, thread);
  pthread_exit(NULL);
}

static void cancel_threads(void) {
  pthread_t threads[8];
  pthread_barrier_init(&all_are_there, NULL, 9);
  start(threads, 8, endless_thread);
  pthread_barrier_wait(&all_are_there);
  for (int i = 0; i < 8; i++) pthread_cancel(threads[i]);
  await(threads, 8);
}

/// They call at the same time: numbers that two of them shared would be too small.
static void fork_children(void) {
  for (int i = 0; i < 5; i++)
    if (fork() == 0) {
      call(200000);
      if (fork() == 0) call(500);
      else wait(NULL);
      _exit(0);
    }
  while (wait(NULL) > 0) {
  }
  call(1000);
}

static void fork_among_threads(void) {
  pthread_t threads[8];
  start(threads, 8, thread);
  if (fork() == 0) {
    start(threads, 2, thread);
    await(threads, 2);
    call(1000);
    _exit(0);
  }
  await(threads, 8);
  wait(NULL);
}

/// libc knows nothing of the child.
static void clone_child(void) {
  if (syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L) == 0) {
    call(1000);
    syscall(SYS_exit_group, 0);
  }
  wait(NULL);
}

static void vfork_and_execute(void) {
  for (int i = 0; i < 3; i++) {
    if (vfork() == 0) {
      counted(1);
      execl("/proc/self/exe", words[0], words[1], "return", (char *)NULL);
      _exit(9);
    }
    wait(NULL);
  }
}

/// An image goes before the thread, in the child of a fork, has counted anything.
static void *fork_and_unload(void *unused) {
  void *library = dlopen("libresolv.so.2", RTLD_NOW);
  if (library == NULL) abort();
  if (fork() == 0) {
    dlclose(library);
    call(100);
    _exit(0);
  }
  wait(NULL);
  return unused;
}

static void unload_in_child(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, fork_and_unload, NULL) != 0) abort();
  pthread_join(thread, NULL);
}

/// Only read, write and exit have been left since before the first call.
static void leave_strictly(void) { syscall(SYS_exit, 0); }

static void vfork_and_exit(void) {
  if (vfork() == 0) {
    call(100);
    _exit(0);
  }
  wait(NULL);
  call(100);
}

static void execute_without_environment(void) { execute((char *[]){NULL}); }
static void execute_with_no_list(void) { execute(NULL); }
static void execute_with_own_environment(void) {
  execute((char *[]){"LANG=C", "LD_PRELOAD=", NULL});
}

static void close_all_descriptors(void) {
  for (int i = 3; i < 1024; i++) close(i);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  call(1000);
  // Its threads and children need none either.
  pthread_t other;
  start(&other, 1, thread);
  await(&other, 1);
  if (fork() == 0) {
    call(1000);
    execute((char *[]){NULL});
  }
  wait(NULL);
}

static void run_many_threads_at_once(void) {
  static pthread_t threads[MANY];
  pthread_barrier_init(&all_are_there, NULL, MANY);
  start(threads, MANY, thread_among_all);
  await(threads, MANY);
}

static void run_many_threads_in_turn(void) {
  for (int round = 0; round < 100; round++) {
    pthread_t threads[10];
    start(threads, 10, thread);
    await(threads, 10);
  }
}

/// A process that its parent leaves, and that ends before the first process does.
static void leave_process(void) {
  int ends[2];
  if (pipe(ends) != 0) abort();
  if (fork() == 0) {
    if (daemon(1, 1) != 0) abort();
    close(ends[0]);
    call(1000);
    _exit(0);
  }
  close(ends[1]);
  wait(NULL);
  char byte;
  // It has ended once nobody else has the pipe.
  if (read(ends[0], &byte, 1) != 0) abort();
}

/// The first process ends. The daemon goes on once somebody writes to its standard input.
static void become_daemon(void) {
  if (daemon(1, 1) != 0) abort();
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  call(500);
}

static const struct {
  const char *name;
  void (*end)(void);
} ways[] = {
    {"return", return_from_main},
    {"exit", end_by_exit},
    {"_exit", end_by__exit},
    {"quick_exit", end_by_quick_exit},
    {"exit_group", end_by_system_call},
    {"abort", end_by_abort},
    {"SIGSEGV", end_by_fault},
    {"SIGKILL", end_by_kill},
    {"SIGKILL with threads", kill_with_threads},
    {"pthread_exit", leave_main_thread},
    {"pthread_cancel", cancel_threads},
    {"fork", fork_children},
    {"fork among threads", fork_among_threads},
    {"fork, dlclose", unload_in_child},
    {"seccomp", leave_strictly},
    {"clone", clone_child},
    {"vfork", vfork_and_exit},
    {"vfork, execl", vfork_and_execute},
    {"execve without variables", execute_without_environment},
    {"execve with NULL", execute_with_no_list},
    {"execve with others", execute_with_own_environment},
    {"closed descriptors", close_all_descriptors},
    {"400 threads", run_many_threads_at_once},
    {"1000 threads in turn", run_many_threads_in_turn},
    {"daemon in time", leave_process},
    {"daemon", become_daemon},
};

int main(int count, char **arguments) {
  if (count != 3) return 64;
  words = arguments;
  // No core files.
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (strcmp(arguments[2], "seccomp") == 0) prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  call(1000);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (strcmp(ways[i].name, arguments[2]) == 0) {
      ways[i].end();
      return 0;
    }
  return 64;
}

#endif
