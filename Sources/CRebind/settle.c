#define _GNU_SOURCE
#include "settle.h"
#include "image.h"

#include <fcntl.h>
#include <sys/syscall.h>

enum {
  /// The window is some dozen instructions, a page fault and an IFUNC's resolver; and a
  /// virtual processor may be charged for what its host does meanwhile.
  NANOSECONDS_TO_LEAVE = 200000,
  NANOSECONDS_A_ROUND = 100000,
  ROUNDS = 1000,
  ROUNDS_FOR_THE_LOADER = 10000,
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
  if (crebind_system_call(SYS_clock_gettime, (int)clock, time) != 0) return 0;
  return (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
}

/// Reads "/proc/self/task/N/FILE"; returns its length, or 0.
static long read_file(int thread, const char *file, char *text, size_t size) {
  const char *prefix = "/proc/self/task/";
  char path[64], digits[12];
  size_t count = 0, length = crebind_length(prefix);
  memcpy(path, prefix, length);
  for (; thread != 0; thread /= 10) digits[count++] = (char)('0' + thread % 10);
  while (count > 0) path[length++] = digits[--count];
  path[length++] = '/';
  memcpy(path + length, file, crebind_length(file) + 1);
  long opened = crebind_system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return 0;
  long result = crebind_system_call(SYS_read, opened, text, size);
  crebind_system_call(SYS_close, opened);
  return result > 0 ? result : 0;
}

/// True if the thread is on a processor, or waits for one or for a page.
static bool is_running(int thread) {
  char text[512];
  // "NUMBER (NAME) STATE ...", where the name may hold anything.
  for (long length = read_file(thread, "stat", text, sizeof text), i = length; i-- > 0;) {
    if (text[i] == ')') return i + 2 < length && (text[i + 2] == 'R' || text[i + 2] == 'D');
    CREBIND_KEEP_LOOP();
  }
  return false;
}

/// True if the thread is blocked in a system call on a word of the loader's own
/// data, which its lock is part of; or is just done with that.
static bool waits_for_loader(int thread) {
  struct crebind_range loader = crebind_loader_span();
  char text[512];
  // "NUMBER 0xARGUMENT ...", or "running".
  long length = read_file(thread, "syscall", text, sizeof text - 1), at = 0;
  text[length] = 0;
  if (text[0] == 'r') return true;  // It has been woken since its state was read.
  while (at < length && text[at] != 'x') at++;
  uintptr_t address = 0;
  for (at++; at < length && text[at] != ' '; at++) {
    char digit = text[at];
    address = address * 16 + (uintptr_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return address >= loader.start && address < loader.end;
}

static bool may_be_inside(int thread) {
  return is_running(thread) || waits_for_loader(thread);
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
  long own = crebind_system_call(SYS_gettid);
  long folder = crebind_system_call(SYS_openat, AT_FDCWD, "/proc/self/task",
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  _Alignas(struct linux_dirent64) char buffer[4096];
  long size;
  while ((size = crebind_system_call(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
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
      if (thread == own || !may_be_inside(thread)) continue;
      struct suspect *suspect = crebind_vector_append(suspects, 1);
      if (suspect != NULL) *suspect = (struct suspect){thread, processor_time(thread)};
    }
  }
  crebind_system_call(SYS_close, folder);
  return true;
}

static bool had_time_to_leave(const struct suspect *suspect) {
  uint64_t used = processor_time(suspect->thread);
  return used == 0 || used - suspect->used >= NANOSECONDS_TO_LEAVE;
}

/// Forgets the suspects that have left, and says whether another one waits for the
/// loader.
static bool look_again(struct crebind_vector *suspects) {
  size_t left = 0;
  bool any_waits = false;
  for (size_t i = 0; i < suspects->count; i++) {
    struct suspect *suspect = crebind_vector_at(suspects, i);
    if (had_time_to_leave(suspect)) continue;
    // Each state is read once: it may be another one the next time.
    bool waits = !is_running(suspect->thread);
    if (waits && !waits_for_loader(suspect->thread)) continue;
    any_waits |= waits;
    *(struct suspect *)crebind_vector_at(suspects, left++) = *suspect;
  }
  suspects->count = left;
  return any_waits;
}

bool crebind_settle(void) {
  struct crebind_vector suspects = CREBIND_VECTOR(struct suspect);
  size_t threads = 0;
  bool has_proc = collect(&suspects, &threads);
  // One that has waited for the loader has its time to leave from then on.
  int running = 0;
  for (int round = 0; suspects.count != 0 && round < ROUNDS_FOR_THE_LOADER; round++) {
    crebind_sleep(NANOSECONDS_A_ROUND);
    running = look_again(&suspects) ? 0 : running + 1;
    if (running >= ROUNDS) break;
  }
  crebind_vector_free(&suspects);
  if (has_proc) return threads > 1;
  // Nobody to ask: a few scheduler periods.
  crebind_sleep(20000000);
  return true;
}
