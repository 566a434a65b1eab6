/// Takes the place of gcc's library of coverage in the fixtures. The counters of all processes are
/// one file, which each process maps over its own counters. So the counts of a process stay, however
/// it ends. Nothing is locked or written at the end, so a fixture that hooks open or malloc counts as
/// every other one.
///
/// Each program has the counters in the same places. The objects of the core stand in one order,
/// between an object of this file with -DFIRST and one with -DLAST. A program with
/// -DWRITER in place of -DFIRST maps the file and ends; gcc's own library then writes the counters
/// beside the objects. It runs first of all, and its counters' size is the right one.

#define COUNTERS __attribute__((section("counters"), aligned(4096), used))

#ifdef LAST
__attribute__((visibility("hidden"))) char coverage_last[4096] COUNTERS;
#else
#define _GNU_SOURCE
#include "arch/arch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/// The first word is the size of all counters.
static long first[4096 / sizeof(long)] COUNTERS;
extern char coverage_last[4096] __attribute__((visibility("hidden")));

static void map_counters(void) {
  long size = coverage_last + sizeof coverage_last - (char *)first, known = 0;
  long file = crebind_raw_call(SYS_openat, AT_FDCWD, (long)COUNTERS_FILE, O_RDWR | O_CLOEXEC, 0,
                               0, 0);
  // Without the file nothing would be counted, and nobody would know.
  if (file < 0) __builtin_trap();
  crebind_raw_call(SYS_read, file, (long)&known, sizeof known, 0, 0, 0);
  // A linker that drops unused code drops its counters, and the others move: that is not counted.
  if (known == 0 || known == size)
    crebind_raw_call(SYS_mmap, (long)first, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     file, 0);
  first[0] = size;
  crebind_raw_call(SYS_close, file, 0, 0, 0, 0, 0);
}

#ifdef WRITER
int main(void) { map_counters(); }
#else
#pragma GCC visibility push(hidden)
void __gcov_init(void *object);
void __gcov_exit(void);
void __gcov_merge_add(long *counters, unsigned count);
#pragma GCC visibility pop

/// Each object calls it, before any function of the core runs.
void __gcov_init(void *object) {
  (void)object;
  if (first[0] == 0) map_counters();
}
void __gcov_exit(void) {}
void __gcov_merge_add(long *counters, unsigned count) { (void)counters, (void)count; }
#endif
#endif
