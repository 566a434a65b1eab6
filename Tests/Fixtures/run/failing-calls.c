/// Makes calls and prints what came of them, so that a test sees how they fail.

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAY(name, call)                                                                          \
  do {                                                                                           \
    errno = 0;                                                                                   \
    long result = (long)(call);                                                                  \
    printf("%s %ld %s\n", name, result, errno == 0 ? "-" : strerrorname_np(errno));              \
  } while (0)

static void *nothing(void *argument) { return argument; }

static void each(const char *file) {
  int descriptor;
  SAY("open", (descriptor = open(file, O_RDONLY)) < 0 ? -1 : 0);
  char bytes[64];
  SAY("read", read(descriptor, bytes, sizeof bytes));
  SAY("close", close(descriptor));
  SAY("is open", fcntl(descriptor, F_GETFD));
  void *memory;
  SAY("malloc", (memory = malloc(7)) != NULL);
  free(memory);
  FILE *stream = fopen("/dev/null", "w");
  SAY("fwrite", fwrite("abc", 1, 3, stream));
  SAY("ferror", ferror(stream) != 0);
  fclose(stream);
  pthread_t thread;
  int code;
  SAY("pthread_create", code = pthread_create(&thread, NULL, nothing, NULL));
  if (code == 0) pthread_join(thread, NULL);
}

int main(int count, char **arguments) {
  if (count > 2 && strcmp(arguments[1], "each") == 0) each(arguments[2]);
  // The calls of both processes are counted together.
  if (strcmp(arguments[1], "ten") == 0) {
    if (fork() != 0) {
      wait(NULL);
    }
    for (int i = 0; i < 5; i++) printf("%d\n", getuid() == 77);
  }
  if (strcmp(arguments[1], "time") == 0) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    getppid();
    clock_gettime(CLOCK_MONOTONIC, &end);
    long long took = (end.tv_sec - begin.tv_sec) * 1000000000ll + end.tv_nsec - begin.tv_nsec;
    printf("%lld\n", took / 1000000);
  }
  for (int i = 2; i < count && strcmp(arguments[1], "open") == 0; i++) {
    int descriptor = open(arguments[i], O_RDONLY);
    printf("%s\n", descriptor < 0 ? strerrorname_np(errno) : "-");
    if (descriptor >= 0) close(descriptor);
  }
}
