// A process to be looked at: it does what its argument says, prints "ready" and waits for the end of
// its input.

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int (*original_open)(const char *, int, ...);
static void *(*original_malloc)(size_t);

static int hooked_open(const char *path, int flags, int mode) {
  return original_open(path, flags, mode);
}
static void *hooked_malloc(size_t size) { return original_malloc(size); }
static pid_t hooked_getppid(void) { return 1; }

/// Slots of data, one of which is read-only once relocated, and one that is the program's.
static pid_t (*const constant_pointer)(void) = getppid;
static pid_t (*pointer)(void) = getppid;

/// Undefined and hidden: gold leaves a slot, into which the loader puts where the image begins.
extern const char __start_absent[] __attribute__((weak, visibility("hidden")));
static const char *volatile absent;

static void *page(const void *address) {
  return (void *)((uintptr_t)address & -(uintptr_t)sysconf(_SC_PAGESIZE));
}

static void protect(const void *address, int protection) {
  CHECK(mprotect(page(address), (size_t)sysconf(_SC_PAGESIZE), protection) == 0);
}

static void rebind_two(void) {
  struct rebinding rebindings[] = {
      {"open", (void *)hooked_open, (void **)&original_open},
      {"malloc", (void *)hooked_malloc, (void **)&original_malloc},
  };
  CHECK(rebind_symbols(rebindings, 2) == 0);
}

static void patch(void) {
  protect(&constant_pointer, PROT_READ | PROT_WRITE);
  pid_t (*volatile *slot)(void) = (pid_t(*volatile *)(void)) & constant_pointer;
  *slot = hooked_getppid;
  protect(&constant_pointer, PROT_READ);
}

/// A static program has none.
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak));

/// Says what the loader says while it loads.
static void say_that_it_loads(void) {
  for (ElfW(Dyn) *entry = _DYNAMIC; entry != NULL && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_DEBUG) ((struct r_debug *)entry->d_un.d_ptr)->r_state = RT_ADD;
}

/// Writes over the code of a function that is not called.
static void modify_code(void) {
  char *code = (char *)getsid;
  protect(code, PROT_READ | PROT_WRITE | PROT_EXEC);
  code[0] ^= 0x55;
  code[2] ^= 0x55;
  protect(code, PROT_READ | PROT_EXEC);
}

/// A table of functions, as a C++ vtable.
static pid_t (*const table[])(void) = {hooked_getppid, hooked_getppid};
static pid_t other_getppid(void) { return 2; }

static void rewrite(const void *pointer) {
  protect(pointer, PROT_READ | PROT_WRITE);
  *(pid_t(*volatile *)(void))pointer = other_getppid;
  protect(pointer, PROT_READ);
}

/// The last but two of stdio's functions for a file, which none of its users calls: `stat`.
static const void *stdio_pointer(void) {
  void **functions = *(void ***)(stdout + 1);
  return &functions[18];
}

/// The loader's entry for a library.
static struct link_map *map_of(const char *name) {
  struct link_map *map = _r_debug.r_map;
  while (map != NULL && strstr(map->l_name, name) == NULL) map = map->l_next;
  CHECK(map != NULL);
  return map;
}

/// Writes over the code of the first function.
static void modify_vdso(void) {
  const struct link_map *map = map_of("vdso");
  const ElfW(Dyn) *entry = map->l_ld;
  while (entry->d_tag != DT_SYMTAB) entry++;
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)(map->l_addr + entry->d_un.d_ptr);
  char *code = (char *)map->l_addr + symbols[1].st_value;
  // Some kernels seal the pages.
  char changed = code[0] ^ 0x55;
  int memory = open("/proc/self/mem", O_RDWR);
  CHECK(pwrite(memory, &changed, 1, (off_t)(uintptr_t)code) == 1);
}

/// Leads the loader to another entry for libc's symbols: glibc's l_info is behind eight words.
static void redirect_table(void) {
  static ElfW(Dyn) other;
  ElfW(Dyn) **info = (ElfW(Dyn) **)map_of("/libc.so.6") + 8;
  CHECK(info[DT_SYMTAB]->d_tag == DT_SYMTAB);
  other = *info[DT_SYMTAB];
  info[DT_SYMTAB] = &other;
}

/// Has the program's dynamic table lead to symbols that are not the image's.
static void redirect_entry(void) {
  char none;
  // No function is bound any more from here on.
  CHECK(write(STDOUT_FILENO, "", 0) == 0 && read(STDIN_FILENO, &none, 0) == 0);
  for (ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag != DT_SYMTAB) continue;
    protect(entry, PROT_READ | PROT_WRITE);
    entry->d_un.d_ptr = (uintptr_t)malloc(1 << 20);
    protect(entry, PROT_READ);
  }
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "nothing";
  free(malloc(1));
  close(open("/dev/null", O_RDONLY));
  if (getppid() == 0 || pointer() == 0 || constant_pointer() == 0) return 1;
  pointer = hooked_getppid;
  absent = __start_absent;
  if (strcmp(what, "rebound") == 0) rebind_two();
  if (strcmp(what, "patched") == 0) patch();
  if (strcmp(what, "open") == 0) protect(&constant_pointer, PROT_READ | PROT_WRITE);
  if (strcmp(what, "code") == 0)
    protect((const void *)hooked_getppid, PROT_READ | PROT_WRITE | PROT_EXEC);
  if (strcmp(what, "loading") == 0) say_that_it_loads();
  if (strcmp(what, "modified") == 0) modify_code();
  if (strcmp(what, "table") == 0) rewrite(&table[count == 2]);
  if (strcmp(what, "stdio") == 0) rewrite(stdio_pointer());
  if (strcmp(what, "vdso") == 0) modify_vdso();
  if (strcmp(what, "loader") == 0) redirect_table();
  if (strcmp(what, "dynamic") == 0) redirect_entry();
  CHECK(write(STDOUT_FILENO, "ready\n", 6) == 6);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}
