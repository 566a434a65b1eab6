/// A relro range that someone has left writable is left as it is: the loader may
/// still be at work on the image, and it would crash on a page closed under it.

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int hooked;
static pid_t (*original)(void);
static pid_t hook(void) {
  hooked++;
  return original();
}

static int open_main_relro(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO) continue;
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    uintptr_t end = (start + info->dlpi_phdr[i].p_memsz) & ~mask;
    start &= ~mask;
    CHECK(start < end && mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) == 0);
  }
  return 1;
}

int main(void) {
  dl_iterate_phdr(open_main_relro, NULL);
  char *before = read_maps();
  crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(strcmp(before, read_maps()) == 0);
  getppid();
  CHECK(hooked == 1);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(strcmp(before, read_maps()) == 0);
  printf("left open\n");
}
