#define _GNU_SOURCE
#include "settle.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>

enum {
  /// The window is some dozen instructions, a page fault and an IFUNC's resolver.
  NANOSECONDS_TO_LEAVE = 50000,
  ROUNDS = 1000,
  NANOSECONDS_A_ROUND = 100000,
};

/// A thread that may be inside.
struct suspect {
  int thread;
  uint64_t used;
};

/// The processor time that a thread of this process has used, by the kernel's
/// own clock for it; 0 if the thread is gone.
static uint64_t processor_time(int thread) {
  // CPUCLOCK_SCHED | CPUCLOCK_PERTHREAD_MASK, see clock_getcpuclockid(3).
  long clock = (long)(~(unsigned)thread << 3 | 6);
  // The system call's own timespec: the C library's may have 64-bit seconds.
  long time[2] = {0, 0};
  if (crebind_runtime()->system_call(SYS_clock_gettime, (long)(int)clock, time) != 0) return 0;
  return (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
}

/// Writes "/proc/self/task/N/stat".
static void make_path(char *path, int thread) {
  const char *prefix = "/proc/self/task/";
  char digits[12];
  size_t count = 0, length = crebind_length(prefix);
  memcpy(path, prefix, length);
  for (; thread != 0; thread /= 10) digits[count++] = (char)('0' + thread % 10);
  while (count > 0) path[length++] = digits[--count];
  memcpy(path + length, "/stat", 6);
}

/// True if the thread is on a processor, or waits for one or for a page.
static bool is_running(int thread) {
  char path[64], text[512];
  make_path(path, thread);
  const struct crebind_runtime *runtime = crebind_runtime();
  long file = runtime->system_call(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC));
  if (file < 0) return false;
  long length = runtime->system_call(SYS_read, file, text, sizeof text);
  runtime->system_call(SYS_close, file);
  // "NUMBER (NAME) STATE ...", where the name may hold anything.
  for (long i = length - 1; i > 0; i--) {
    if (text[i] == ')') return i + 2 < length && (text[i + 2] == 'R' || text[i + 2] == 'D');
    CREBIND_KEEP_LOOP();
  }
  return false;
}

struct linux_dirent64 {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

/// Collects the other threads that are running; false without /proc.
static bool collect(struct crebind_vector *suspects, size_t *threads) {
  const struct crebind_runtime *runtime = crebind_runtime();
  long own = runtime->system_call(SYS_gettid);
  long folder = runtime->system_call(SYS_openat, (long)AT_FDCWD, "/proc/self/task",
                                     (long)(O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder < 0) return false;
  _Alignas(struct linux_dirent64) char buffer[4096];
  long size;
  while ((size = runtime->system_call(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < size;) {
      const struct linux_dirent64 *entry = (const struct linux_dirent64 *)(buffer + at);
      at += entry->size;
      int thread = 0;
      for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++) {
        thread = thread * 10 + (*digit - '0');
        CREBIND_KEEP_LOOP();
      }
      if (thread == 0) continue;
      ++*threads;
      if (thread == own || !is_running(thread)) continue;
      struct suspect *suspect = crebind_vector_append(suspects, 1);
      if (suspect != NULL) *suspect = (struct suspect){thread, processor_time(thread)};
    }
  }
  runtime->system_call(SYS_close, folder);
  return true;
}

static bool has_left(const struct suspect *suspect) {
  uint64_t used = processor_time(suspect->thread);
  return used == 0 || used - suspect->used >= NANOSECONDS_TO_LEAVE
         || !is_running(suspect->thread);
}

bool crebind_settle(void) {
  struct crebind_vector suspects = CREBIND_VECTOR(struct suspect);
  size_t threads = 0;
  bool has_proc = collect(&suspects, &threads);
  for (int round = 0; round < ROUNDS && suspects.count != 0; round++) {
    crebind_sleep(NANOSECONDS_A_ROUND);
    size_t left = 0;
    for (size_t i = 0; i < suspects.count; i++) {
      struct suspect *suspect = crebind_vector_at(&suspects, i);
      if (!has_left(suspect)) *(struct suspect *)crebind_vector_at(&suspects, left++) = *suspect;
    }
    suspects.count = left;
  }
  crebind_vector_free(&suspects);
  if (has_proc) return threads > 1;
  // Nobody to ask: a few scheduler periods.
  crebind_sleep(20000000);
  return true;
}
