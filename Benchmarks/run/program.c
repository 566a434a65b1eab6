/// Programs to measure tools with. `calls COUNT` prints how many nanoseconds a call of a library's function takes, and
/// `system COUNT` does so for a system call. `work` allocates a hundred times and takes ten milliseconds.

#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void counted(int number);

#if defined(LIBRARY)

void counted(int number) { __asm__ volatile("" ::"r"(number)); }

#else

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void calls(int count) {
  double begin = now();
  for (int i = 0; i < count; i++) counted(i);
  printf("%.3f\n", (now() - begin) / count);
}

static void system_calls(int count) {
  double begin = now();
  for (int i = 0; i < count; i++) syscall(SYS_getppid);
  printf("%.3f\n", (now() - begin) / count);
}

static void work(void) {
  double end = now() + 10e6;
  for (int i = 0; i < 100; i++) {
    void *volatile memory = malloc(100);
    free(memory);
  }
  while (now() < end) {
  }
}

int main(int count, char **arguments) {
  if (count == 3 && strcmp(arguments[1], "calls") == 0) calls(atoi(arguments[2]));
  else if (count == 3 && strcmp(arguments[1], "system") == 0) system_calls(atoi(arguments[2]));
  else if (count == 2) work();
  else return 64;
  return 0;
}

#endif
