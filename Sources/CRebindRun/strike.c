/// Calls that rules make fail, shorten or delay.

#if defined(__linux__)
#define _GNU_SOURCE

#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// Whether a rule applies to calls from an address, which takes long to find out: the address, the rule, and a bit for
/// the answer. 0 is free.
static uint64_t places[4096];

void crebind_run_forget_places(void) {
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    __atomic_store_n(&places[i], 0, __ATOMIC_RELAXED);
}

static bool is_from(size_t index, const crebind_run_rule *rule, const void *address) {
  if (rule->images == 0) return true;
  uint64_t key = (uint64_t)(uintptr_t)address << 16 | index << 1;
  uint64_t *place = &places[crebind_run_hash(key) % (sizeof places / sizeof *places)];
  uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (known != 0 && (known & ~1ull) == key) return known & 1;
  const char *pattern = crebind_run_file + rule->images;
  const char *path = crebind_run_image_at(address), *slash = strrchr(path, '/');
  bool is_from = crebind_run_matches(pattern, path)
                 || (slash != NULL && crebind_run_matches(pattern, slash + 1));
  __atomic_store_n(place, key | is_from, __ATOMIC_RELAXED);
  return is_from;
}

/// Copies a text that may lie anywhere: who calls open with a bad pointer gets EFAULT, not a crash of ours.
static void copy_text(char *copy, size_t size, uint64_t address) {
  size_t length = 0;
  while (length < size - 1) {
    size_t step = 4096 - (address + length) % 4096;
    if (step > size - 1 - length) step = size - 1 - length;
    struct iovec here = {copy + length, step}, there = {(void *)(address + length), step};
    if (syscall(SYS_process_vm_readv, syscall(SYS_getpid), &here, 1L, &there, 1L, 0L)
        != (long)step)
      break;
    length += step;
    if (memchr(copy + length - step, 0, step) != NULL) return;
  }
  copy[length] = 0;
}

static bool has_path(const crebind_run_rule *rule, const crebind_run_function *known,
                     const uint64_t *registers) {
  if (rule->path == 0) return true;
  char path[4096];
  copy_text(path, sizeof path, registers[known->path]);
  return crebind_run_matches(crebind_run_file + rule->path, path);
}

/// Whether a descriptor is standard error or another one for it, unless standard output goes there as well.
static bool is_for_messages(int descriptor) {
  if (descriptor == STDERR_FILENO) return true;
  struct stat status, errors, output;
  return fstat(descriptor, &status) == 0 && fstat(STDERR_FILENO, &errors) == 0
         && status.st_ino == errors.st_ino && status.st_dev == errors.st_dev
         && (fstat(STDOUT_FILENO, &output) != 0 || output.st_ino != errors.st_ino);
}

/// Whether a sweep leaves the call alone. A failure of standard error is one that a program has nowhere to tell. A call of
/// fcntl for flags cannot fail.
static bool is_left_alone(const crebind_run_function *known, const uint64_t *registers) {
  if ((crebind_run_shared()->tasks & CREBIND_RUN_WATCHES) == 0 || known == NULL) return false;
  if (known->stream >= 0) return registers[known->stream] == (uintptr_t)stderr;
  if (known->is_fcntl && registers[1] >= F_GETFD && registers[1] <= F_SETFL) return true;
  return (known->closes || known->writes) && is_for_messages((int)registers[0]);
}

static bool is_chosen(const crebind_run_rule *rule, uint64_t number) {
  return number >= rule->first && number <= rule->last
         && (number - rule->first) % rule->every == 0;
}

/// A handler of the program that interrupts the wait does not shorten it.
static void wait_for(uint64_t nanoseconds) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  uint64_t rest = (uint64_t)end.tv_nsec + nanoseconds;
  end.tv_sec += (time_t)(rest / 1000000000u);
  end.tv_nsec = (long)(rest % 1000000000u);
  // The function of libc is a point of cancellation, which the call may not be.
  while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0
         && errno == EINTR) {
  }
}

uint64_t crebind_run_give(uint64_t result) { return result; }

/// Fails as the function does: one that closes has closed, and a stream has its error flag.
static int64_t fail(const crebind_run_rule *rule, crebind_run_stub *stub,
                    const crebind_run_function *known, const uint64_t *registers) {
  int error = rule->error != 0 ? rule->error : known != NULL ? known->error : 0;
  if (known == NULL) {
    errno = error;
    return -1;
  }
  if (known->closes) ((int64_t(*)(uint64_t))stub->stub.original)(registers[0]);
  if (!known->closes && known->stream >= 0 && registers[known->stream] != 0)
    ((FILE *)registers[known->stream])->_flags |= _IO_ERR_SEEN;
  if (known->returns_error) return rule->error != 0 ? rule->error : known->result;
  errno = error;
  return known->result;
}

void *crebind_run_strike(crebind_run_stub *stub, uint64_t *registers, const void *return_address) {
  const crebind_run_function *known = crebind_run_function_at(stub->known);
  int error = errno;
  void *next = NULL;
  for (uint64_t left = stub->rules; left != 0 && next == NULL; left &= left - 1) {
    size_t index = (size_t)__builtin_ctzll(left);
    crebind_run_rule *rule = crebind_run_rule_at(index);
    if (is_left_alone(known, registers)) continue;
    if (!is_from(index, rule, return_address) || !has_path(rule, known, registers)) continue;
    if (!is_chosen(rule, __atomic_add_fetch(&rule->met, 1, __ATOMIC_RELAXED))) continue;
    __atomic_fetch_add(&rule->struck, 1, __ATOMIC_RELAXED);
    crebind_run_add_from(return_address, stub->function);
    if ((crebind_run_shared()->tasks & CREBIND_RUN_WATCHES) != 0)
      crebind_run_note_strike(return_address);
    if (rule->delay != 0) wait_for(rule->delay);
    errno = error;
    switch (rule->effect) {
    case CREBIND_RUN_FAILS:
      registers[0] = (uint64_t)fail(rule, stub, known, registers);
      error = errno;
      next = (void *)crebind_run_give;
      break;
    case CREBIND_RUN_RETURNS:
      registers[0] = (uint64_t)rule->result;
      next = (void *)crebind_run_give;
      break;
    case CREBIND_RUN_LIMITS:
      if (registers[known->count] > (uint64_t)rule->result)
        registers[known->count] = (uint64_t)rule->result;
      break;
    }
  }
  errno = error;
  return next;
}
#endif
