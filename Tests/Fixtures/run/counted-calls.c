/// A program that counts its own calls, with the library that it calls and a plug-in that calls it. Each process prints
/// its numbers before it ends, in whatever way that is.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void first(int number);
void second(double number);

#if defined(LIBRARY)

static _Atomic long calls_of_first, calls_of_second;
void first(int number) { calls_of_first += number == 1; }
void second(double number) { calls_of_second += number == 2; }

__attribute__((visibility("hidden"))) void forget(void) { calls_of_first = calls_of_second = 0; }

void say(void) {
  char line[64];
  int length = snprintf(line, sizeof line, "first %ld second %ld\n", calls_of_first, calls_of_second);
  if (write(1, line, (size_t)length) != length) abort();
}

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, forget); }

#elif defined(PLUGIN)

__attribute__((constructor)) static void begin(void) { second(2); }

void work(void) {
  for (int i = 0; i < 7; i++) first(1);
}

#else

void say(void);

static void *thread(void *unused) {
  for (int i = 0; i < 500; i++) first(1);
  return unused;
}

static void handle(int signal) {
  (void)signal;
  second(2);
}

/// Each way of ending, in a child.
static void child(int kind) {
  pid_t process = fork();
  if (process == 0) {
    for (int i = 0; i < 20; i++) first(1);
    say();
    if (kind == 0) _exit(0);
    if (kind == 1) kill(getpid(), SIGKILL);
    char *empty[] = {NULL};
    char *arguments[] = {"counted", "again", NULL};
    if (kind == 2) execve("/proc/self/exe", arguments, empty);
    if (kind == 3) execv("/proc/self/exe", arguments);
    abort();
  }
  waitpid(process, NULL, 0);
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "again") == 0) {
    second(2);
    say();
    return 0;
  }
  for (int i = 0; i < 1000; i++) first(1);
  void (*pointer)(double) = second;
  for (int i = 0; i < 10; i++) pointer(2);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, thread, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  for (int kind = 0; kind < 4; kind++) child(kind);
  if (vfork() == 0) execl("/proc/self/exe", "counted", "again", NULL);
  wait(NULL);
  char *empty[] = {NULL}, *again[] = {"counted", "again", NULL};
  pid_t spawned;
  if (posix_spawn(&spawned, "/proc/self/exe", NULL, NULL, again, empty) != 0) abort();
  waitpid(spawned, NULL, 0);
  for (int i = 0; i < 2; i++) {
    void *plugin = dlopen(arguments[1], RTLD_NOW);
    if (plugin == NULL) abort();
    ((void (*)(void))dlsym(plugin, "work"))();
    ((void (*)(int))dlsym(RTLD_DEFAULT, "first"))(1);
    dlclose(plugin);
  }
  say();
  kill(getpid(), SIGTERM);
}

#endif
