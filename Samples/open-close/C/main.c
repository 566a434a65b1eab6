// fishhook's example, as its README has it: sees each open and close.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "fishhook.h"

static int (*original_open)(const char *, int, mode_t);
static int (*original_close)(int);

static int my_open(const char *path, int flags, mode_t mode) {
  printf("Calling real open('%s', %d)\n", path, flags);
  return original_open(path, flags, mode);
}

static int my_close(int descriptor) {
  printf("Calling real close(%d)\n", descriptor);
  return original_close(descriptor);
}

int main(int argc, char *argv[]) {
  (void)argc;
  struct rebinding rebindings[] = {
      {"open", (void *)my_open, (void **)&original_open},
      {"close", (void *)my_close, (void **)&original_close},
  };
  if (rebind_symbols(rebindings, 2) != 0) {
    perror("rebind_symbols");
    return 1;
  }

  // Open our own binary and read its first four bytes.
  int descriptor = open(argv[0], O_RDONLY);
  uint8_t magic[4];
  if (read(descriptor, magic, sizeof magic) != sizeof magic) {
    perror(argv[0]);
    return 1;
  }
  printf("ELF Magic Number: %02x%02x%02x%02x\n", magic[0], magic[1], magic[2], magic[3]);
  close(descriptor);
  return 0;
}
