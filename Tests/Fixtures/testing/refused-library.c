/// A library whose slots nobody can open: its constructor has the kernel refuse it.

#define _GNU_SOURCE
#include "refused-protect.h"

#include <link.h>
#include <unistd.h>

int is_refused;

pid_t call(void);
pid_t call(void) { return getppid(); }

static int refuse_own(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  uintptr_t start = 0, end = 0;
  bool is_own = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t address = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD) is_own |= (uintptr_t)context - address < header->p_memsz;
    if (header->p_type != PT_GNU_RELRO) continue;
    start = address & -4096UL;
    end = address + header->p_memsz;
  }
  if (is_own) is_refused = refuse_protect(start, end, false);
  return is_own;
}

__attribute__((constructor)) static void start(void) {
  dl_iterate_phdr(refuse_own, (void *)refuse_own);
}
