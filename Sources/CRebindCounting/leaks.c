#if defined(__linux__)
#define _GNU_SOURCE

#include "leaks.h"

#include <sys/mman.h>

crebind_counting_leaks *crebind_counting_leaks_make(void) {
  crebind_counting_leaks *leaks = mmap(NULL, sizeof *leaks, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return leaks != MAP_FAILED ? leaks : NULL;
}

void crebind_counting_leaks_free(crebind_counting_leaks *leaks) { munmap(leaks, sizeof *leaks); }

void crebind_counting_leaks_give_up(crebind_counting_leaks *leaks) { leaks->is_full = true; }

bool crebind_counting_leaks_is_full(const crebind_counting_leaks *leaks) { return leaks->is_full; }
#endif
