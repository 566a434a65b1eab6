// A program whose slot for getppid leads to a library that it loads, with a function of that name: the
// most usual kind of hook. Or the loader leads it there, as nothing else has the function.
//
// Usage: inspect-later LIBRARY hook|data|bound|alias|none

#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// A slot of data that is read-only once relocated, and the program's own.
static pid_t (*const constant_pointer)(void) = getppid;
static pid_t (*pointer)(void) = getppid;

/// Of a library that is there from the start. It calls what nothing has before the other library is
/// loaded, and the loader binds it lazily.
int call_later(void);

static void store(const void *slot, void *function) {
  uintptr_t page = (uintptr_t)slot & -(uintptr_t)sysconf(_SC_PAGESIZE);
  CHECK(mprotect((void *)page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE) == 0);
  *(void *volatile *)slot = function;
  CHECK(mprotect((void *)page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ) == 0);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  int is_bound = strcmp(arguments[2], "bound") == 0;
  void *library = dlopen(arguments[1], RTLD_NOW | (is_bound ? RTLD_GLOBAL : RTLD_LOCAL));
  CHECK(library != NULL);
  void *function = dlsym(library, "getppid");
  CHECK(function != NULL);
  if (strcmp(arguments[2], "hook") == 0) store(&constant_pointer, function);
  if (strcmp(arguments[2], "data") == 0) pointer = (pid_t(*)(void))function;
  if (is_bound && call_later() != 2) return 1;
  if (constant_pointer() == 0 || pointer() == 0) return 1;
  if (strcmp(arguments[2], "alias") == 0) store(&constant_pointer, dlsym(RTLD_DEFAULT, "signal"));
  CHECK(write(STDOUT_FILENO, "ready\n", 6) == 6);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}
