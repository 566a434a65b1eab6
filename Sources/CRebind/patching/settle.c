#if defined(__linux__)
#define _GNU_SOURCE
#include "patching/settle.h"
#include "elf/snapshot.h"
#include "runtime/lock.h"
#include "world/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

enum {
  /// The window is some dozen instructions, a page fault and an IFUNC's resolver. A thread
  /// is also charged for interrupts, and for time that its host takes.
  NANOSECONDS_TO_LEAVE = 1000000,
  NANOSECONDS_A_ROUND = 100000,
  /// The longest wait for threads that run, and for those that wait for the loader.
  NANOSECONDS_IN_ALL = 1000000000,
  ROUNDS = 20000,
  LISTINGS = 3,
};

/// A thread that may be inside the window.
struct suspect {
  int thread;
  /// Its processor time when the waiting for it began, at the last round, and when its
  /// state was last read.
  uint64_t used, last_used, read_used;
  bool waits_for_loader;
};

/// A thread that was blocked outside the window when it had used this much processor time. Unless
/// it has run since, it is still outside, and no file of /proc has to be read to tell.
struct outsider {
  int thread;
  uint64_t used;
};

/// The outsiders of the last call, which the next call takes; guarded by the lock.
static struct crebind_vector kept_outsiders = {NULL, 0, 0, sizeof(struct outsider), false};
/// The threads that calls stopped waiting for, and whether memory was lacking to note one; guarded
/// by the lock.
static struct crebind_vector let_go = {NULL, 0, 0, sizeof(struct suspect), false};
static bool has_unnoted;

/// In nanoseconds; 0 if the clock is not there.
static uint64_t read_clock(int clock) {
  // The system call's own timespec: the C library's may have 64-bit seconds.
  long time[2] = {0, 0};
  if (crebind_system_call(SYS_clock_gettime, clock, time) != 0) return 0;
  return (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
}

/// The processor time that a thread of this process has used, by the kernel's
/// own clock for it; 0 if the thread is gone.
static uint64_t processor_time(int thread) {
  // CPUCLOCK_SCHED | CPUCLOCK_PERTHREAD_MASK, see clock_getcpuclockid(3).
  return read_clock((int)(~(unsigned)thread << 3 | 6));
}

/// Reads a file of /proc; returns its length, or a negative error number.
static long read_path(long folder, const char *path, char *text, size_t size) {
  long opened = crebind_system_call(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return opened;
  long result = crebind_system_call(SYS_read, opened, text, size);
  crebind_system_call(SYS_close, opened);
  return result;
}

/// Reads a file of a thread.
///
/// \param tasks The descriptor of /proc/self/task, or negative. With it, reading takes half the
///   time.
static long read_file(long tasks, int thread, const char *file, char *text, size_t size) {
  const char *prefix = tasks < 0 ? "/proc/self/task/" : "";
  char path[64], digits[12];
  size_t count = 0, length = crebind_length(prefix);
  memcpy(path, prefix, length);
  for (; thread != 0; thread /= 10) digits[count++] = (char)('0' + thread % 10);
  while (count > 0) path[length++] = digits[--count];
  path[length++] = '/';
  memcpy(path + length, file, crebind_length(file) + 1);
  return read_path(tasks < 0 ? AT_FDCWD : tasks, path, text, size);
}

/// The place behind "NUMBER (NAME) " in a file stat; the name may hold anything.
static long behind_name(const char *text, long length) {
  for (long i = length; i-- > 0;) {
    if (text[i] == ')') return i + 2;
    CREBIND_KEEP_LOOP();
  }
  return length;
}

enum { GONE = 0, UNKNOWN = '?' };

/// The letter of a thread's state in its file stat, GONE or UNKNOWN.
static char state_of(long tasks, int thread) {
  char text[512];
  long length = read_file(tasks, thread, "stat", text, sizeof text);
  if (length == -ENOENT || length == -ESRCH) return GONE;
  long at = behind_name(text, length);
  return at < length ? text[at] : UNKNOWN;
}

/// How many threads the process has, by the kernel's own count; 0 if that is not known.
static long count_threads(void) {
  char text[512];
  long length = read_path(AT_FDCWD, "/proc/self/stat", text, sizeof text), count = 0;
  // The number is the 20th field. The third field is the one behind the name.
  int field = 3;
  for (long at = behind_name(text, length); at < length && field <= 20; at++) {
    if (text[at] == ' ')
      field++;
    else if (field == 20)
      count = count * 10 + (text[at] - '0');
    CREBIND_KEEP_LOOP();
  }
  return count;
}

enum place { OUTSIDE, MAYBE_INSIDE, WAITS_FOR_LOADER };

/// Where a thread is, by the system call that it is blocked in: "NUMBER 0xARGUMENT ...",
/// "-1 ..." outside of any, as for a page, or "running". On the loader's lock it waits for a
/// word of the loader's own data.
static enum place place_of(long tasks, int thread) {
  char text[512];
  long length = read_file(tasks, thread, "syscall", text, sizeof text - 1), at = 0;
  if (length > 0 && text[0] == 'r') return MAYBE_INSIDE;
  if (length <= 0 || text[0] == '-') {
    // The thread waits for a page, or has ended while others run on, or the kernel has no such
    // file.
    char state = state_of(tasks, thread);
    if (state == GONE || state == 'Z' || state == 'X') return OUTSIDE;
    bool may_run = state == 'R' || state == 'D' || state == UNKNOWN;
    return length > 0 || may_run ? MAYBE_INSIDE : OUTSIDE;
  }
  text[length] = 0;
  while (at < length && text[at] != 'x') at++;
  uintptr_t address = 0;
  for (at++; at < length && text[at] != ' '; at++) {
    char digit = text[at];
    address = address * 16 + (uintptr_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  struct crebind_range loader = crebind_loader_span();
  return address >= loader.start && address < loader.end ? WAITS_FOR_LOADER : OUTSIDE;
}

// MARK: - Threads

struct settling {
  struct crebind_vector suspects;   // struct suspect
  struct crebind_vector outsiders;  // struct outsider
  /// The outsiders of an earlier call, and where to look for the next thread: the threads mostly
  /// come in the same order.
  struct crebind_vector former;
  size_t next_former;
  /// The threads that an earlier call has let go, and whether one of them may still be inside.
  struct crebind_vector let_go;  // struct suspect
  bool has_let_go;
  /// Only threads that wait for the loader matter.
  bool only_waiting;
  long threads;
};

static void add_outsider(struct settling *settling, int thread, uint64_t used) {
  struct outsider *outsider = crebind_vector_append(&settling->outsiders, 1);
  if (outsider != NULL) *outsider = (struct outsider){thread, used};
}

/// True if the thread was outside at an earlier call and has not run since.
static bool is_outside_still(struct settling *settling, int thread, uint64_t used) {
  for (size_t i = 0; i < settling->former.count; i++) {
    if (settling->next_former == settling->former.count) settling->next_former = 0;
    const struct outsider *outsider =
        crebind_vector_at(&settling->former, settling->next_former++);
    if (outsider->thread == thread) return outsider->used == used;
  }
  return false;
}

static bool was_let_go(const struct settling *settling, int thread) {
  for (size_t i = 0; i < settling->let_go.count; i++)
    if (((const struct suspect *)crebind_vector_at(&settling->let_go, i))->thread == thread)
      return true;
  return false;
}

static void look_at(struct settling *settling, long tasks, int thread) {
  // This is read before the thread's state: if the thread runs afterwards, the next look shows
  // that.
  uint64_t used = processor_time(thread);
  if (used == 0) return;
  enum place place = is_outside_still(settling, thread, used) ? OUTSIDE : place_of(tasks, thread);
  if (place == OUTSIDE) {
    add_outsider(settling, thread, used);
    return;
  }
  if (settling->only_waiting && place != WAITS_FOR_LOADER) return;
  if (was_let_go(settling, thread)) {
    settling->has_let_go = true;
    return;
  }
  struct suspect *suspect = crebind_vector_append(&settling->suspects, 1);
  if (suspect != NULL)
    *suspect = (struct suspect){thread, used, used, used, place == WAITS_FOR_LOADER};
}

struct linux_dirent64 {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

/// Looks at all other threads; false without /proc, and if it is another namespace's.
static bool collect(struct settling *settling) {
  crebind_vector_truncate(&settling->suspects, 0);
  crebind_vector_truncate(&settling->outsiders, 0);
  settling->has_let_go = false;
  settling->threads = 0;
  long own = crebind_system_call(SYS_gettid);
  long folder = crebind_system_call(SYS_openat, AT_FDCWD, "/proc/self/task",
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  _Alignas(struct linux_dirent64) char buffer[1024];
  long size;
  bool is_own = false;
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
      settling->threads++;
      is_own |= thread == own;
      if (thread != own) look_at(settling, folder, thread);
    }
  }
  crebind_system_call(SYS_close, folder);
  return is_own;
}

/// True if the suspect has left, or has been seen outside. For a thread that keeps running, only
/// its processor time shows that.
static bool has_left(struct settling *settling, struct suspect *suspect) {
  uint64_t used = processor_time(suspect->thread);
  if (used == 0 || used - suspect->used >= NANOSECONDS_TO_LEAVE) return true;
  bool stands = used == suspect->last_used;
  suspect->last_used = used;
  if (!stands || used == suspect->read_used) return false;
  suspect->read_used = used;
  enum place place = place_of(-1, suspect->thread);
  suspect->waits_for_loader = place == WAITS_FOR_LOADER;
  if (place == OUTSIDE) add_outsider(settling, suspect->thread, used);
  return place == OUTSIDE;
}

/// Forgets the suspects that have left, and says whether another one waits for the
/// loader.
static bool look_again(struct settling *settling) {
  size_t left = 0;
  bool any_waits = false;
  for (size_t i = 0; i < settling->suspects.count; i++) {
    struct suspect *suspect = crebind_vector_at(&settling->suspects, i);
    if (has_left(settling, suspect)) continue;
    any_waits |= suspect->waits_for_loader;
    *(struct suspect *)crebind_vector_at(&settling->suspects, left++) = *suspect;
  }
  settling->suspects.count = left;
  return any_waits;
}

/// Forgets the threads that have left since they were let go.
static void forget_left(void) {
  size_t left = 0;
  for (size_t i = 0; i < let_go.count; i++) {
    const struct suspect *suspect = crebind_vector_at(&let_go, i);
    uint64_t used = processor_time(suspect->thread);
    if (used == 0 || used - suspect->used >= NANOSECONDS_TO_LEAVE
        || place_of(-1, suspect->thread) == OUTSIDE)
      continue;
    *(struct suspect *)crebind_vector_at(&let_go, left++) = *suspect;
  }
  crebind_vector_truncate(&let_go, left);
}

bool crebind_is_alone(void) { return count_threads() == 1; }

static void begin(struct settling *settling, bool only_waiting) {
  *settling = (struct settling){.only_waiting = only_waiting,
                                .suspects = CREBIND_VECTOR(struct suspect),
                                .outsiders = CREBIND_VECTOR(struct outsider),
                                .let_go = CREBIND_VECTOR(struct suspect)};
  crebind_lock();
  settling->former = kept_outsiders;
  kept_outsiders = CREBIND_VECTOR(struct outsider);
  forget_left();
  // Without memory they are waited for once more.
  if (let_go.count != 0 && crebind_vector_append(&settling->let_go, let_go.count) != NULL)
    memcpy(settling->let_go.data, let_go.data, let_go.count * sizeof(struct suspect));
  crebind_unlock();
}

static void end(struct settling *settling) {
  crebind_lock();
  has_unnoted &= settling->suspects.count != 0 || settling->has_let_go;
  for (size_t i = 0; i < settling->suspects.count; i++) {
    struct suspect *suspect = crebind_vector_append(&let_go, 1);
    if (suspect != NULL) *suspect = *(struct suspect *)crebind_vector_at(&settling->suspects, i);
    has_unnoted |= suspect == NULL;
  }
  struct crebind_vector other = kept_outsiders;  // another thread's
  kept_outsiders = settling->outsiders;
  crebind_unlock();
  crebind_vector_free(&other);
  crebind_vector_free(&settling->former);
  crebind_vector_free(&settling->let_go);
  crebind_vector_free(&settling->suspects);
}

/// True if none of the suspects can leave, because this thread has the lock that they wait for.
static bool is_futile(const struct settling *settling) {
  if (!crebind_loader_is_called()) return false;
  for (size_t i = 0; i < settling->suspects.count; i++)
    if (!((const struct suspect *)crebind_vector_at(&settling->suspects, i))->waits_for_loader)
      return false;
  return true;
}

static bool settle(bool only_waiting) {
  struct settling settling;
  begin(&settling, only_waiting);
  bool has_proc = collect(&settling);
  // A thread that ends meanwhile may hide others from the list.
  for (int i = 0; i < LISTINGS && has_proc && settling.threads < count_threads(); i++)
    has_proc = collect(&settling);
  uint64_t start = read_clock(CLOCK_MONOTONIC), now = start, last_waiting = start;
  // The rounds are for a clock that does not run.
  for (int round = 0; settling.suspects.count != 0 && now - last_waiting < NANOSECONDS_IN_ALL
                      && round < ROUNDS && !is_futile(&settling);
       round++) {
    crebind_sleep(NANOSECONDS_A_ROUND);
    now = read_clock(CLOCK_MONOTONIC);
    // A thread that has waited for the loader gets its time to leave from then on.
    if (look_again(&settling) && now - start < NANOSECONDS_IN_ALL) last_waiting = now;
  }
  bool have_left = settling.suspects.count == 0 && !settling.has_let_go;
  end(&settling);
  // Without /proc, nothing can be asked: wait a few scheduler periods.
  if (!has_proc) crebind_sleep(20000000);
  return have_left;
}

bool crebind_settle(void) { return settle(false); }
bool crebind_settle_waiting(void) { return settle(true); }

bool crebind_settle_is_over(void) {
  forget_left();
  return let_go.count == 0 && !has_unnoted;
}
#endif
