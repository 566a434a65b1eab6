/// Counts are right whatever other threads, signal handlers and forks do meanwhile.
///
/// Usage: counting-beside ROUNDS

#include "counting.h"

#include <sched.h>
#include <sys/time.h>

/// The calls of images, or of sites and those without one, are all that the scope has counted.
static void check_sums(const crebind_counting_scope *scope, const crebind_counting_counts *counts) {
  uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT], sums[CREBIND_COUNTING_FUNCTION_COUNT] = {0};
  for (size_t i = 0; crebind_counting_image(scope, i, calls) != NULL; i++)
    for (int j = 0; j < CREBIND_COUNTING_FUNCTION_COUNT; j++) sums[j] += calls[j];
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) CHECK(sums[i] == counts->calls[i]);
  crebind_reach_site site;
  uint64_t of_sites = crebind_counting_dropped_calls(scope);
  for (size_t i = 0; crebind_counting_next_site(scope, &i, &site);) of_sites += site.calls;
  CHECK(of_sites == all_calls(counts));
}

static volatile bool is_over;

static void *allocate_on(void *argument) {
  while (!is_over) {
    for (int i = 0; i < 64; i++) free(malloc(24));
    // Most do so here and not inside a call: a scope's end waits in vain for one whose thread waits
    // for a processor behind many others.
    if (argument != NULL) sched_yield();
  }
  return argument;
}

/// Not msync: qemu-user asks the host there, which keeps a page of 64 KiB whose end the program never gave back.
static bool is_mapped(void *memory) {
  unsigned char is_resident;
  return mincore(memory, 1, &is_resident) == 0;
}

/// A child does not wait for the calls that its parent's other threads were telling, and frees its scopes.
static void check_memory_of_child(int children) {
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
  CHECK(crebind_counting_watch_images(scope, false));
  crebind_counting_begin(scope, NULL, false);
  for (int i = 0; i < children; i++) {
    pid_t child = fork();
    if (child == 0) {
      free(malloc(1));
      crebind_counting_end(scope);
      crebind_counting_free(scope);
      // It is mapped no more.
      _exit(is_mapped(scope) ? 1 : 0);
    }
    WAIT_FOR(child);
  }
  crebind_counting_end(scope);
  crebind_counting_free(scope);
}

/// Threads allocate while scopes of the process that watch images come and go.
static void count_images_beside_others(int rounds) {
  pthread_t threads[24];
  for (int i = 0; i < 24; i++) threads[i] = START(allocate_on, i < 3 ? NULL : threads);
  for (int i = 0; i < rounds; i++) {
    crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
    CHECK(crebind_counting_watch_images(scope, false));
    CHECK(crebind_counting_watch_sites(scope, ~0u, 100));
    crebind_counting_begin(scope, NULL, false);
    free(malloc(1));
    crebind_counting_end(scope);
    crebind_counting_counts counts;
    CHECK(!crebind_counting_read(scope, &counts));
    CHECK(counts.calls[CREBIND_COUNTING_MALLOC] >= 1);
    check_sums(scope, &counts);
    crebind_counting_free(scope);
  }
  check_memory_of_child(rounds / 10);
  is_over = true;
  for (int i = 0; i < 24; i++) JOIN(threads[i]);
}

static sem_t is_stopped, may_go_on;

/// Of a thread that reads a scope on a page that it must not read.
static void stop(int signal) {
  CHECK(signal == SIGSEGV);
  CHECK(sem_post(&is_stopped) == 0 && sem_wait(&may_go_on) == 0);
}

static void *allocate_and_stop(void *argument) {
  free(malloc(1));
  return argument;
}

static volatile sig_atomic_t forks;

/// It interrupts the thread that has the lock.
static void fork_in_handler(int signal) {
  CHECK(signal == SIGALRM);
  pid_t child = fork();
  if (child == 0) _exit(0);
  WAIT_FOR(child);
  forks = forks + 1;
}

static crebind_counting_scope *begin_watching_process(void) {
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
  CHECK(crebind_counting_watch_images(scope, false));
  crebind_counting_begin(scope, NULL, false);
  return scope;
}

/// A thread is stopped inside of a call that is being told to two scopes. They end meanwhile, and a signal
/// handler forks. Their memory is there until the thread has gone on, and not for ever.
static void count_beside_a_stopped_thread(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  CHECK(sem_init(&is_stopped, 0, 0) == 0 && sem_init(&may_go_on, 0, 0) == 0);
  crebind_counting_scope *older = begin_watching_process(), *younger = begin_watching_process();
  struct sigaction stopping = {.sa_handler = stop}, forking = {.sa_handler = fork_in_handler}, before;
  // The thread that is stopped leaves the signal to this one.
  CHECK(sigaddset(&stopping.sa_mask, SIGALRM) == 0);
  // The program's parent may have it blocked.
  CHECK(pthread_sigmask(SIG_UNBLOCK, &stopping.sa_mask, NULL) == 0);
  CHECK(sigaction(SIGSEGV, &stopping, &before) == 0 && sigaction(SIGALRM, &forking, NULL) == 0);
  crebind_counting_suppress_begin();
  CHECK(mprotect(younger, page, PROT_NONE) == 0);
  pthread_t thread = START(allocate_and_stop, NULL);
  CHECK(sem_wait(&is_stopped) == 0);
  CHECK(mprotect(younger, page, PROT_READ | PROT_WRITE) == 0);
  // The thread is not in the child, which does not wait for it.
  pid_t child = fork();
  if (child == 0) {
    crebind_counting_end(younger);
    crebind_counting_free(younger);
    _exit(is_mapped(younger) ? 1 : 0);
  }
  WAIT_FOR(child);
  // While the end waits for the thread, with the lock.
  struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  crebind_counting_end(younger);
  CHECK(forks == 1);
  crebind_counting_free(younger);
  crebind_counting_end(older);
  crebind_counting_free(older);
  CHECK(is_mapped(younger) && is_mapped(older));
  CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
  CHECK(sem_post(&may_go_on) == 0);
  JOIN(thread);
  crebind_counting_scope *next = begin_watching_process();
  crebind_counting_end(next);
  crebind_counting_free(next);
  CHECK(!is_mapped(younger) && !is_mapped(older));
  crebind_counting_suppress_end();
}

#if defined(__GLIBC__)
/// Ends the thread instead. musl would wait for such a thread for ever.
static void end_thread(int signal) {
  CHECK(signal == SIGSEGV);
  syscall(SYS_exit, 0);
}

/// A thread ends inside of a call that is being told to a scope. The scope's memory is there until another thread goes
/// on with the numbers of the one that has ended.
static void count_beside_an_ended_thread(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  crebind_counting_scope *scope = begin_watching_process();
  struct sigaction ending = {.sa_handler = end_thread}, before;
  CHECK(sigaction(SIGSEGV, &ending, &before) == 0);
  crebind_counting_suppress_begin();
  CHECK(mprotect(scope, page, PROT_NONE) == 0);
  JOIN(START(allocate_and_stop, NULL));
  CHECK(mprotect(scope, page, PROT_READ | PROT_WRITE) == 0);
  CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
  crebind_counting_end(scope);
  crebind_counting_free(scope);
  CHECK(is_mapped(scope));
  crebind_counting_scope *next = begin_watching_process();
  JOIN(START(allocate_and_stop, NULL));
  crebind_counting_end(next);
  crebind_counting_free(next);
  CHECK(!is_mapped(scope));
  crebind_counting_suppress_end();
}
#endif

// MARK: - Leaks

static _Atomic long passes;

static void *allocate_and_pass(void *argument) {
  void *_Atomic *box = argument;
  while (!is_over) {
    void *passed = atomic_exchange(box, malloc(24));
    free(passed);
    passes++;
  }
  return argument;
}

static void wait_for_passes(long count) {
  passes = 0;
  while (passes < count) usleep(1000);
}

/// Threads free each other's blocks, whose addresses they are given again.
static void count_leaks_beside_others(int rounds) {
  is_over = false;
  void *_Atomic box = NULL;
  pthread_t threads[8];
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
  CHECK(crebind_counting_watch_leaks(scope));
  for (int i = 0; i < 8; i++) threads[i] = START(allocate_and_pass, (void *)&box);
  crebind_counting_begin(scope, NULL, false);
  wait_for_passes(rounds * 2000);
  int64_t before = crebind_counting_leaked_blocks(scope);
  wait_for_passes(rounds * 2000);
  is_over = true;
  for (int i = 0; i < 8; i++) JOIN(threads[i]);
  CHECK(before >= 0 && crebind_counting_leaked_blocks(scope) == 1);
  free(box);
  crebind_counting_end(scope);
  CHECK(crebind_counting_leaked_blocks(scope) == 0);
  crebind_counting_free(scope);
}

static void *replace_and_free(void *argument) {
  void *blocks[16];
  while (!is_over) {
    for (int i = 0; i < 16; i++) blocks[i] = malloc(2000);
    for (int i = 0; i < 16; i += 2) blocks[i] = realloc(blocks[i], 3000);
    for (int i = 0; i < 16; i++) free(blocks[i]);
  }
  return argument;
}

#define LEAKS 500

/// Threads out of reach free and replace blocks of their own, whose addresses the task is given at once.
static void count_leaks_beside_frees(int rounds) {
  is_over = false;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = START(replace_and_free, NULL);
  for (int round = 0; round < rounds / 2; round++) {
    static void *blocks[LEAKS];
    crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_TASK);
    CHECK(crebind_counting_watch_leaks(scope));
    crebind_counting_begin(scope, NULL, false);
    task_value = scope;
    has_task = true;
    for (int i = 0; i < LEAKS; i++) blocks[i] = malloc(2000);
    CHECK(crebind_counting_leaked_blocks(scope) == LEAKS);
    for (int i = 0; i < LEAKS; i++) blocks[i] = realloc(blocks[i], 3000);
    CHECK(crebind_counting_leaked_blocks(scope) == LEAKS);
    for (int i = 0; i < LEAKS; i++) free(blocks[i]);
    CHECK(crebind_counting_leaked_blocks(scope) == 0);
    has_task = false;
    crebind_counting_end(scope);
    crebind_counting_free(scope);
  }
  is_over = true;
  for (int i = 0; i < 4; i++) JOIN(threads[i]);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  int rounds = atoi(argv[1]);
  start_counting();
  count_images_beside_others(rounds);
  count_beside_a_stopped_thread();
#if defined(__GLIBC__)
  count_beside_an_ended_thread();
#endif
  count_leaks_beside_others(rounds);
  count_leaks_beside_frees(rounds);
  printf("all calls were counted\n");
  return 0;
}
