#if defined(__linux__)
#define _GNU_SOURCE

#include "condition.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/// A page, or a part of one.
#define PAGE 4096

void crebind_testing_find_place(const crebind_testing_condition *condition,
                                crebind_testing_place *place) {
  place->count = 0;
  if (condition->kind == CREBIND_TESTING_CALLER && condition->text != NULL)
    crebind_testing_find_image(place, condition->text);
}

/// The word as a number of the condition's size, with or without a sign.
static int64_t number(const crebind_testing_condition *condition, uint64_t word) {
  unsigned unused = 64 - 8 * condition->size;
  word <<= unused;
  return condition->is_signed ? (int64_t)word >> unused : (int64_t)(word >> unused);
}

/// Whether a byte can be read. The argument may be a number: that of openat's directory, if its
/// path is meant. True where the kernel does not say.
static bool is_readable(const char *address) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
  int error = errno;
  // By the thread's number, as the first thread may have ended.
  long count = syscall(SYS_process_vm_readv, syscall(SYS_gettid), &here, 1L, &there, 1L, 0L);
  bool is_readable = count == 1 || errno != EFAULT;
  errno = error;
  return is_readable;
}

ptrdiff_t crebind_testing_text_length(const char *text, size_t limit) {
  for (size_t length = 0; length < limit; length++) {
    bool begins_page = (uintptr_t)(text + length) % PAGE == 0;
    if ((length == 0 || begins_page) && !is_readable(text + length)) return -1;
    if (text[length] == 0) return (ptrdiff_t)length;
  }
  return (ptrdiff_t)limit;
}

/// A loop, because strcmp may be what is rebound.
static bool matches(const char *text, const char *expected, bool is_prefix) {
  if (text == NULL || !is_readable(text)) return false;
  while (*expected != 0 && *text == *expected) {
    text++, expected++;
    if ((uintptr_t)text % PAGE == 0 && (*expected != 0 || !is_prefix) && !is_readable(text))
      return false;
  }
  return *expected == 0 && (is_prefix || *text == 0);
}

static bool is_within(const crebind_testing_condition *condition, uint64_t word) {
  int64_t value = number(condition, word);
  // Without a sign, 64 bits take more than int64_t has.
  return condition->is_signed
             ? value >= (int64_t)condition->low && value <= (int64_t)condition->high
             : (uint64_t)value >= condition->low && (uint64_t)value <= condition->high;
}

bool crebind_testing_fulfils(const crebind_testing_condition *conditions,
                             const crebind_testing_place *places, size_t count,
                             const crebind_testing_call *call) {
  for (size_t i = 0; i < count; i++) {
    const crebind_testing_condition *condition = &conditions[i];
    uint64_t word = call->registers[condition->index];
    bool holds = false;
    switch (condition->kind) {
    case CREBIND_TESTING_INTEGER: holds = is_within(condition, word); break;
    case CREBIND_TESTING_FLAGS: holds = (word & condition->low) == condition->low; break;
    case CREBIND_TESTING_TEXT:
    case CREBIND_TESTING_PREFIX:
      holds = matches((const char *)(uintptr_t)word, condition->text,
                      condition->kind == CREBIND_TESTING_PREFIX);
      break;
    case CREBIND_TESTING_CALLER:
      holds = crebind_reach_has_code(&places[i], call->caller);
      break;
    }
    if (!holds) return false;
  }
  return true;
}
#endif
