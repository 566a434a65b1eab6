/// Functions of many types, and one caller of each that goes through its slot. Linked
/// as a library, whose calls of its own functions can be rebound.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct pair {
  int32_t whole;
  float part;
} pair;
typedef struct rectangle {
  double x, y, width, height;
} rectangle;
typedef struct nested {
  pair pair;
  uint8_t bytes[3];
} nested;
typedef struct large {
  int64_t values[5];
} large;
typedef enum colour { RED, GREEN = 7 } colour;

double integers(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
                uint64_t h, bool i, const char *j, void *k) {
  return a + b + c + d + e + f + (double)g + (double)h + i + *j + (k == NULL);
}
double call_integers(void) {
  return integers(-1, 255, -300, 65535, -70000, 4000000000u, INT64_MIN, UINT64_MAX, true, "*",
                  NULL);
}

float numbers(float a, double b, float c, double d, float e, double f, float g, double h, float i,
              double j) {
  return (float)(a + b + c + d + e + f + g + h + i + j);
}
float call_numbers(void) { return numbers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10); }

int8_t small(int8_t value) { return value; }
int call_small(void) { return small(-3); }

bool negate(bool value) { return !value; }
bool call_negate(void) { return negate(true); }

pair swap(pair value) { return (pair){(int32_t)value.part, (float)value.whole}; }
pair call_swap(void) { return swap((pair){3, 4.5f}); }

rectangle move(rectangle value, double by) {
  value.x += by;
  return value;
}
void call_move(rectangle *result) { *result = move((rectangle){1, 2, 3, 4}, 10); }

int sum(nested value) { return value.pair.whole + value.bytes[0] + value.bytes[2]; }
int call_sum(void) { return sum((nested){{1, 2}, {3, 4, 5}}); }

int64_t first(large value) { return value.values[0]; }
int64_t call_first(void) { return first((large){{6, 0, 0, 0, 0}}); }

colour mix(colour value) { return value; }
int call_mix(void) { return mix(GREEN); }

static int effects;
void effect(int value) { effects += value; }
int call_effect(void) {
  effect(2);
  return effects;
}

/// Calls itself through its slot.
int countdown(int value) { return value == 0 ? 0 : 1 + countdown(value - 1); }
int call_countdown(void) { return countdown(5); }

/// Calls another function that can be rebound.
int outer_function(int value) { return small((int8_t)value) + 1; }
int call_outer_function(void) { return outer_function(20); }

/// Leaks the first descriptor when the second open fails.
int open_two(const char *path) {
  int one = open(path, O_RDONLY);
  if (one < 0) return -1;
  int two = open(path, O_RDONLY);
  if (two < 0) return -1;
  close(two);
  close(one);
  return 0;
}

/// An optimiser does not see that what it returns is not used.
void *allocate(size_t size) { return malloc(size); }

/// close, called with all bits of the register.
extern int close_word(int64_t descriptor) __asm__("close");
int call_close_word(int64_t descriptor) { return close_word(descriptor); }

int call_openat(const char *path) { return openat(AT_FDCWD, path, O_RDONLY); }

/// Does not look at what its second malloc returns.
int allocate_two(void) {
  volatile char *one = malloc(10);
  if (one == NULL) return -1;
  volatile char *two = malloc(10);
  two[0] = 1;
  free((void *)two);
  free((void *)one);
  return 0;
}

static sigjmp_buf before_pause;

static void leave_pause(int signal) {
  (void)signal;
  siglongjmp(before_pause, 1);
}

/// Whether a thread sleeps, as the kernel says.
static int sleeps(pid_t thread) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char *name_end = strrchr(text, ')');
  return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
}

static pthread_t waiting;
static _Atomic pid_t thread_that_waits;

/// The handler may leave a wait, and nothing that comes before it. So the signal comes once the thread has slept for a
/// while.
static void *interrupt(void *unused) {
  (void)unused;
  for (int times = 0; times < 20;) {
    usleep(1000);
    times = thread_that_waits != 0 && sleeps(thread_that_waits) ? times + 1 : 0;
  }
  pthread_kill(waiting, SIGUSR2);
  return NULL;
}

/// A wait that a signal's handler leaves by siglongjmp.
int pause_and_leave(void) {
  pthread_t other;
  waiting = pthread_self();
  thread_that_waits = 0;
  sigset_t signals;
  // The threads of libdispatch have all signals blocked.
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  signal(SIGUSR2, leave_pause);
  if (sigsetjmp(before_pause, 1) == 0) {
    if (pthread_create(&other, NULL, interrupt, NULL) != 0) return 0;
    pthread_detach(other);
    thread_that_waits = (pid_t)syscall(SYS_gettid);
    pause();
  }
  return 1;
}

/// Sends a descriptor and receives it: the new number, or -1.
int pass_descriptor(int descriptor, int pair[2]) {
  char byte = 1;
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  control.header = (struct cmsghdr){
      .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  if (sendmsg(pair[0], &message, 0) != 1) return -1;
  memset(&control, 0, sizeof control);
  if (recvmsg(pair[1], &message, 0) != 1) return -1;
  memcpy(&descriptor, CMSG_DATA(&control.header), sizeof descriptor);
  return descriptor;
}

/// A child closes a descriptor and opens two others, in the memory of its parent or in a copy.
int change_in_child(int descriptor, int shares_memory) {
  pid_t child = shares_memory ? vfork() : fork();
  if (child == 0) {
    close(descriptor);
    open("/dev/null", O_RDONLY);
    open("/dev/null", O_RDONLY);
    _exit(0);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/// The same as open and close, by their numbers.
int open_by_number(const char *path) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
}
int close_by_number(int descriptor) { return (int)syscall(SYS_close, descriptor); }

extern int close_range(unsigned first, unsigned last, int flags);
int call_close_range(int first, int last) {
  return close_range((unsigned)first, (unsigned)last, 0);
}

/// A child that ends at once, and a descriptor of it, which the kernel stores: as swift-subprocess makes one.
/// \returns The child's number, or -1 where the kernel or a filter refuses.
int child_with_descriptor(int *descriptor) {
  // The flags (CLONE_PIDFD), the descriptor's place, three others, the signal, and so on.
  uint64_t arguments[11] = {0x1000, (uintptr_t)descriptor, 0, 0, SIGCHLD};
  pid_t child = (pid_t)syscall(SYS_clone3, arguments, sizeof arguments);
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, NULL, 0);
  return child;
}
