/// A program for each kind of bug that a sweep finds. With MENDED they have none.

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef MENDED
#define IS_MENDED 1
#else
#define IS_MENDED 0
#endif

static int fail(const char *what) {
  perror(what);
  return 1;
}

/// The result of malloc is not looked at.
static int memory(void) {
  char *text = malloc(100);
  if (IS_MENDED && text == NULL) return fail("malloc");
  strcpy(text, "memory");
  puts(text);
  free(text);
  return 0;
}

static int write_all(int descriptor, const char *text, size_t size) {
  while (size > 0) {
    ssize_t count = write(descriptor, text, size);
    if (count < 0) return -1;
    if (!IS_MENDED) return 0;
    text += count;
    size -= (size_t)count;
  }
  return 0;
}

/// A short write is taken for a whole one.
static int output(void) {
  static const char text[] = "one line of output\n";
  return write_all(1, text, sizeof text - 1) != 0 ? fail("write") : 0;
}

/// After an error the descriptor is closed twice. The file is new in the working folder.
static int file(void) {
  int descriptor = open("planted", O_CREAT | O_WRONLY | O_TRUNC, 0666);
  if (descriptor < 0) return fail("open");
  int result = 0;
  if (write(descriptor, "abc", 3) != 3) {
    result = fail("write");
    if (!IS_MENDED) close(descriptor);
  }
  close(descriptor);
  return result;
}

/// A connection that was reset is read for ever.
static int connection(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return fail("socketpair");
  if (send(ends[0], "hello", 5, MSG_NOSIGNAL) != 5) return fail("send");
  char bytes[5];
  size_t count = 0;
  while (count < sizeof bytes) {
    ssize_t got = recv(ends[1], bytes + count, sizeof bytes - count, 0);
    if (got > 0) {
      count += (size_t)got;
    } else if (IS_MENDED) {
      return fail("recv");
    } else {
      close(ends[0]);
      for (;;) pause();
    }
  }
  return write(1, bytes, sizeof bytes) == (ssize_t)sizeof bytes ? 0 : 1;
}

/// An input that cannot be read is taken for an empty one, and nothing is said.
static int silent(void) {
  int descriptor = open("/etc/passwd", O_RDONLY);
  if (descriptor < 0) return IS_MENDED ? fail("open") : 3;
  close(descriptor);
  return 0;
}

/// After an error a descriptor stays open, though the program goes on.
static int leak(void) {
  int descriptor = open("/dev/null", O_RDONLY);
  char byte;
  if (read(descriptor, &byte, 1) < 0) {
    perror("read");
    if (!IS_MENDED) return 0;
  }
  close(descriptor);
  return 0;
}

/// The same for a line that would change the terminal's colour.
static int colour(void) {
  static const char text[] = "\x1b[31mred\n";
  return write_all(1, text, sizeof text - 1) != 0 ? fail("write") : 0;
}

/// Like `output`, but the usual status is 1, as with diff.
static int status(void) { return output() == 0 ? 1 : 2; }

/// The rest of a stream's buffer is written at the end, and nobody looks whether that works.
static int stream(void) {
  puts("a line");
  return IS_MENDED && fflush(stdout) != 0 ? fail("fflush") : 0;
}

/// Without memory it goes another way. The mended one says so.
static int fallback(void) {
  void *memory = malloc(100);
  if (memory == NULL) puts(IS_MENDED ? "Out of memory, trying again" : "another way");
  puts("done");
  free(memory);
  return 0;
}

/// An instruction that faults where no stack can be followed.
static int stack(void) {
  void *memory = malloc(100);
  if (memory == NULL && IS_MENDED) return fail("malloc");
  if (memory == NULL) {
#if defined(__x86_64__)
    __asm__ volatile("mov $16, %rsp\n\tud2");
#elif defined(__aarch64__)
    __asm__ volatile("mov x0, #16\n\tmov sp, x0\n\tudf #0");
#endif
  }
  free(memory);
  return 0;
}

static void handle_and_end(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

/// It says what is wrong, and gives up by a breakpoint, behind which it would go on.
static int breakpoint(void) {
  if (malloc(100) != NULL) return 0;
  fail("malloc");
#if defined(__x86_64__)
  __asm__ volatile("int3");
#elif defined(__aarch64__)
  __asm__ volatile("brk #0");
#endif
  for (;;) pause();
}

/// A crash that the program's own handler sees first.
static int handler(void) {
  signal(SIGSEGV, handle_and_end);
  return memory();
}

/// Nothing is wrong here: what fails has nowhere to say so, cannot fail, or does nothing.
static int harmless(void) {
  if (fcntl(0, F_GETFD) < 0 || fcntl(0, F_GETFL) < 0) return 3;
  close(-1);
  if (close(dup(2)) != 0 || write(2, "", 0) != 0 || close(2) != 0) return 4;
  return 0;
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    int (*run)(void);
  } programs[] = {{"memory", memory},         {"output", output}, {"file", file},
                  {"connection", connection}, {"silent", silent}, {"leak", leak},
                  {"colour", colour}, {"status", status}, {"stream", stream},
                  {"fallback", fallback}, {"stack", stack}, {"handler", handler},
                  {"breakpoint", breakpoint}, {"harmless", harmless}};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (count == 2 && strcmp(arguments[1], programs[i].name) == 0) return programs[i].run();
  return 64;
}
