/// Random numbers that are the same in each run: of the C library, of the kernel, and of its devices.
///
/// The calls of a task are answered from its stream. A descriptor is a device's if the kernel says so, whoever
/// has opened it. The C library reads a stream of fopen(3) by calls that go through no slot, so that such a stream is
/// one of fopencookie(3). rand(3) and drand48(3) go on from the numbers that a test gives srand(3) and srand48(3), as
/// the C library's do.

#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindSwift.h"
#include "ends.h"
#include "function.h"
#include "generators.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

/// A task's generators that can be given a seed.
typedef struct generators {
  struct generators *_Nullable next;
  crebind_testing_random random;
  crebind_testing_rand48 rand48;
} generators;

typedef struct seeded_scope {
  crebind_testing_scope scope;
  crebind_testing_streams *streams;
  _Atomic(generators *) generators;
  crebind_reach_code libstdcxx;
  /// How many tasks are being made now.
  _Atomic uint32_t creating;
  /// The program has given the process's generators a state of its own, and goes on with that.
  _Atomic bool has_own_random, has_own_rand48;
} seeded_scope;

/// A task that starts on an actor or an executor of its own may draw before its creator has made it known.
static void wait_for_creators(seeded_scope *self, uint64_t task) {
  for (int i = 0; i < 1000 && self->creating != 0 && !crebind_testing_streams_have(self->streams, task);
       i++)
    sched_yield();
}

static crebind_testing_stream *stream_of(crebind_testing_scope *scope) {
  seeded_scope *self = (seeded_scope *)scope;
  uint64_t task = crebind_reach_task_or_block();
  wait_for_creators(self, task);
  return crebind_testing_streams_find(self->streams, task);
}

static void fill(crebind_testing_stream *stream, void *buffer, size_t size) {
  for (size_t i = 0; i < size; i += 8) {
    uint64_t number = crebind_testing_draw(stream);
    memcpy((char *)buffer + i, &number, size - i < 8 ? size - i : 8);
  }
}

// MARK: - The kernel

/// The most that one call gives.
#define MOST 0x7ffff000

static size_t at_most(size_t size) { return size < MOST ? size : MOST; }

static long fill_for(void *buffer, size_t size) {
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  fill(stream_of(answer.scope), buffer, size);
  crebind_testing_end_answer(&answer);
  return (long)size;
}

/// syscall(2), for getrandom(2).
static long answer_syscall(long number, void *buffer, size_t size) {
  (void)number;
  return fill_for(buffer, at_most(size));
}

static ssize_t answer_getrandom(void *buffer, size_t size) {
  return fill_for(buffer, at_most(size));
}

static int answer_getentropy(void *buffer, size_t size) {
  fill_for(buffer, size);
  return 0;
}

/// read(2) and pread(2).
static ssize_t answer_read(int descriptor, void *buffer, size_t size) {
  (void)descriptor;
  return fill_for(buffer, at_most(size));
}

static ssize_t answer_readv(int descriptor, const struct iovec *parts, int count) {
  (void)descriptor;
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  crebind_testing_stream *stream = stream_of(answer.scope);
  ssize_t sum = 0;
  for (int i = 0; i < count; i++) {
    size_t size = at_most(parts[i].iov_len);
    if ((size_t)sum + size > MOST) break;
    fill(stream, parts[i].iov_base, size);
    sum += (ssize_t)size;
  }
  crebind_testing_end_answer(&answer);
  return sum;
}

// MARK: - The C library

static void answer_arc4random_buf(void *buffer, size_t size) { fill_for(buffer, size); }

static uint32_t answer_arc4random(void) {
  uint32_t number;
  fill_for(&number, sizeof number);
  return number;
}

/// Numbers of an incomplete last run of `bound` are drawn again.
static uint32_t answer_arc4random_uniform(uint32_t bound) {
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  crebind_testing_stream *stream = stream_of(answer.scope);
  uint32_t number = 0;
  if (bound > 1)
    do number = (uint32_t)crebind_testing_draw(stream);
    while (number < -bound % bound);
  crebind_testing_end_answer(&answer);
  return bound > 1 ? number % bound : 0;
}

/// The task's generators. Until it gives them a seed, they have one from its stream.
static generators *generators_of(crebind_testing_scope *scope) {
  crebind_testing_stream *stream = stream_of(scope);
  generators *generators = stream->state;
  if (generators != NULL) return generators;
  static struct generators none;
  int error = errno;
  generators = calloc(1, sizeof *generators);
  errno = error;
  if (generators == NULL) return &none;
  uint64_t seeds = crebind_testing_draw(stream);
  crebind_testing_seed_random(&generators->random, (uint32_t)seeds);
  crebind_testing_seed_rand48(&generators->rand48, (uint32_t)(seeds >> 32));
  seeded_scope *self = (seeded_scope *)scope;
  generators->next = self->generators;
  while (!atomic_compare_exchange_weak(&self->generators, &generators->next, generators)) continue;
  stream->state = generators;
  return generators;
}

/// Has the task's generators give a number.
#define ANSWER(name, type, result) \
  static type name(void) { \
    crebind_testing_answer answer; \
    crebind_testing_begin_answer(&answer); \
    generators *own = generators_of(answer.scope); \
    type number = result; \
    crebind_testing_end_answer(&answer); \
    return number; \
  }

ANSWER(answer_rand, int, crebind_testing_next_random(&own->random))
ANSWER(answer_random, long, crebind_testing_next_random(&own->random))
ANSWER(answer_drand48, double, (double)crebind_testing_next_rand48(&own->rand48) / (double)(1ull << 48))
ANSWER(answer_lrand48, long, (long)(crebind_testing_next_rand48(&own->rand48) >> 17))
ANSWER(answer_mrand48, long, (int32_t)(crebind_testing_next_rand48(&own->rand48) >> 16))

/// srand(3) and srandom(3).
static void answer_srand(unsigned seed) {
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  crebind_testing_seed_random(&generators_of(answer.scope)->random, seed);
  crebind_testing_end_answer(&answer);
}

static void answer_srand48(long seed) {
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  crebind_testing_seed_rand48(&generators_of(answer.scope)->rand48, (uint32_t)seed);
  crebind_testing_end_answer(&answer);
}

// MARK: - Streams of the C library

static void destroy(crebind_testing_scope *scope);

/// A scope may have ended since the stream was opened, or another one have begun.
static ssize_t read_cookie(void *cookie, char *buffer, size_t size) {
  (void)cookie;
  crebind_testing_scope *scope = crebind_testing_task_scopes();
  while (scope != NULL && (scope->destroy != destroy || scope->ended)) scope = scope->outer;
  if (scope == NULL) return syscall(SYS_getrandom, buffer, size, 0);
  fill(stream_of(scope), buffer, size);
  return (ssize_t)size;
}

/// The device takes what it is given, and nobody can tell what becomes of that.
static ssize_t write_cookie(void *cookie, const char *buffer, size_t size) {
  (void)cookie;
  (void)buffer;
  return (ssize_t)size;
}

static FILE *answer_fopen(const char *path, const char *mode) {
  (void)path;
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  FILE *stream = fopencookie(
      NULL, mode, (cookie_io_functions_t){.read = read_cookie, .write = write_cookie});
  crebind_testing_end_answer(&answer);
  return stream;
}

// MARK: - Which calls are answered

/// Whether a descriptor is a device's, to read from. The device's numbers are those of the kernel's list of devices.
static bool is_device(int descriptor) {
  struct stat status;
  int error = errno;
  bool is_device = fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode)
                   && (status.st_rdev == makedev(1, 8) || status.st_rdev == makedev(1, 9))
                   && (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_WRONLY;
  errno = error;
  return is_device;
}

static bool is_path(const char *path) {
  static const char *const paths[] = {"/dev/urandom", "/dev/random"};
  ptrdiff_t length = crebind_testing_text_length(path, 16);
  for (size_t i = 0; i < 2; i++)
    if (length == (ptrdiff_t)strlen(paths[i]) && memcmp(path, paths[i], (size_t)length) == 0)
      return true;
  return false;
}

/// The kernel answers calls that fail itself.
static bool is_good(uint64_t buffer, uint64_t flags) {
  const uint64_t both = GRND_RANDOM | 4; // GRND_INSECURE
  flags &= UINT32_MAX;
  return buffer != 0 && (flags & ~(GRND_NONBLOCK | both)) == 0 && (flags & both) != both;
}

typedef bool is_answered_function(seeded_scope *scope, const crebind_testing_call *call);

static bool is_always(seeded_scope *scope, const crebind_testing_call *call) {
  (void)scope;
  (void)call;
  return true;
}

static bool is_syscall(seeded_scope *scope, const crebind_testing_call *call) {
  (void)scope;
  return call->registers[0] == SYS_getrandom && is_good(call->registers[1], call->registers[3]);
}

static bool is_getrandom(seeded_scope *scope, const crebind_testing_call *call) {
  (void)scope;
  return is_good(call->registers[0], call->registers[2]);
}

static bool is_getentropy(seeded_scope *scope, const crebind_testing_call *call) {
  (void)scope;
  return call->registers[0] != 0 && call->registers[1] <= 256;
}

static bool is_read(seeded_scope *scope, const crebind_testing_call *call) {
  (void)scope;
  return call->registers[1] != 0 && is_device((int)call->registers[0]);
}

/// With the room of the buffer: the C library ends a program that would read beyond it.
static bool is_checked_read(seeded_scope *scope, const crebind_testing_call *call) {
  return call->registers[2] <= call->registers[3] && is_read(scope, call);
}

/// The same, where a place in the file comes before the room.
static bool is_checked_pread(seeded_scope *scope, const crebind_testing_call *call) {
  return call->registers[2] <= call->registers[4] && is_read(scope, call);
}

static bool is_readv(seeded_scope *scope, const crebind_testing_call *call) {
  const struct iovec *parts = (const struct iovec *)(uintptr_t)call->registers[1];
  int count = (int)call->registers[2];
  if (count < 0 || count > IOV_MAX || !is_read(scope, call)) return false;
  for (int i = 0; i < count; i++)
    if ((ssize_t)parts[i].iov_len < 0 || (parts[i].iov_base == NULL && parts[i].iov_len != 0))
      return false;
  return true;
}

/// libstdc++ reads the descriptor of a stream that it opens.
static bool is_fopen(seeded_scope *scope, const crebind_testing_call *call) {
  return is_path((const char *)(uintptr_t)call->registers[0]) && call->registers[1] != 0
         && !crebind_reach_has_code(&scope->libstdcxx, call->caller);
}

static bool is_random(seeded_scope *scope, const crebind_testing_call *call) {
  (void)call;
  return !scope->has_own_random;
}

static bool is_rand48(seeded_scope *scope, const crebind_testing_call *call) {
  (void)call;
  return !scope->has_own_rand48;
}

static bool is_own_random(seeded_scope *scope, const crebind_testing_call *call) {
  (void)call;
  scope->has_own_random = true;
  return false;
}

static bool is_own_rand48(seeded_scope *scope, const crebind_testing_call *call) {
  (void)call;
  scope->has_own_rand48 = true;
  return false;
}

/// Swift's runtime makes a task. At the end of the call most are known, as their first jobs have been handed over.
static bool is_creation(seeded_scope *scope, const crebind_testing_call *call) {
  if (crebind_testing_observe(call, &scope->scope, crebind_reach_task_or_block()))
    scope->creating++;
  return false;
}

/// A name, the function that answers its calls, and which calls it answers. Some are looked at, and none is answered.
#define FUNCTIONS(FUNCTION) \
  FUNCTION("swift_task_create", NULL, is_creation) \
  FUNCTION("syscall", answer_syscall, is_syscall) \
  FUNCTION("getrandom", answer_getrandom, is_getrandom) \
  FUNCTION("getentropy", answer_getentropy, is_getentropy) \
  FUNCTION("read", answer_read, is_read) \
  FUNCTION("__read_chk", answer_read, is_checked_read) \
  FUNCTION("readv", answer_readv, is_readv) \
  FUNCTION("pread", answer_read, is_read) \
  FUNCTION("pread64", answer_read, is_read) \
  FUNCTION("__pread_chk", answer_read, is_checked_pread) \
  FUNCTION("__pread64_chk", answer_read, is_checked_pread) \
  FUNCTION("fopen", answer_fopen, is_fopen) \
  FUNCTION("fopen64", answer_fopen, is_fopen) \
  FUNCTION("arc4random", answer_arc4random, is_always) \
  FUNCTION("arc4random_buf", answer_arc4random_buf, is_always) \
  FUNCTION("arc4random_uniform", answer_arc4random_uniform, is_always) \
  FUNCTION("rand", answer_rand, is_random) \
  FUNCTION("random", answer_random, is_random) \
  FUNCTION("srand", answer_srand, is_random) \
  FUNCTION("srandom", answer_srand, is_random) \
  FUNCTION("initstate", NULL, is_own_random) \
  FUNCTION("setstate", NULL, is_own_random) \
  FUNCTION("drand48", answer_drand48, is_rand48) \
  FUNCTION("lrand48", answer_lrand48, is_rand48) \
  FUNCTION("mrand48", answer_mrand48, is_rand48) \
  FUNCTION("srand48", answer_srand48, is_rand48) \
  FUNCTION("seed48", NULL, is_own_rand48) \
  FUNCTION("lcong48", NULL, is_own_rand48)

#define NAME(name, function, is_answered) name,
#define CODE(name, function, is_answered) (void *)function,
#define CONDITION(name, function, is_answered) is_answered,

static const char *const names[] = {FUNCTIONS(NAME)};
static void *const functions[] = {FUNCTIONS(CODE)};
static is_answered_function *const conditions[] = {FUNCTIONS(CONDITION)};

const char *crebind_testing_random_function(size_t index) {
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

// MARK: - The scope

static bool is_answered(crebind_testing_scope *scope, const crebind_testing_call *call,
                        size_t member) {
  return conditions[member]((seeded_scope *)scope, call);
}

/// A call that makes a task has returned it.
static void observe(crebind_testing_scope *scope, uint64_t creator,
                    const crebind_testing_outcome *outcome) {
  seeded_scope *self = (seeded_scope *)scope;
  void *task = (void *)(uintptr_t)outcome->word;
  if (task != NULL)
    crebind_testing_streams_add(self->streams, creator, swift_task_getJobTaskId(task));
  self->creating--;
}

static void adopt(crebind_testing_scope *scope, uint64_t creator, uint64_t number) {
  crebind_testing_streams_add(((seeded_scope *)scope)->streams, creator, number);
}

static void destroy(crebind_testing_scope *scope) {
  seeded_scope *self = (seeded_scope *)scope;
  if (self->streams != NULL) crebind_testing_streams_free(self->streams);
  for (generators *next, *generators = self->generators; generators != NULL; generators = next) {
    next = generators->next;
    free(generators);
  }
}

crebind_testing_scope *crebind_testing_seeded_scope(crebind_testing_hook *const *hooks,
                                                    uint64_t seed) {
  seeded_scope *scope = crebind_testing_function_scope_make(
      sizeof *scope, hooks, functions, sizeof functions / sizeof *functions);
  if (scope == NULL) return NULL;
  scope->scope.destroy = destroy;
  scope->scope.is_answered = is_answered;
  scope->scope.adopt = adopt;
  scope->scope.observe = observe;
  scope->streams = crebind_testing_streams_make(seed, crebind_reach_task_or_block());
  if (scope->streams == NULL) {
    crebind_testing_free(&scope->scope);
    return NULL;
  }
  crebind_testing_find_image(&scope->libstdcxx, "libstdc++.so.6");
  crebind_testing_follow_tasks();
  return &scope->scope;
}

uint64_t crebind_testing_unordered_tasks(const crebind_testing_scope *scope) {
  return crebind_testing_streams_unordered(((const seeded_scope *)scope)->streams);
}
#endif
