/// A time of day that stands still, as the functions of C tell it.

#if defined(__linux__)
#define _GNU_SOURCE

#include "function.h"

#include <sys/time.h>
#include <time.h>

typedef struct frozen_scope {
  crebind_testing_scope scope;
  struct timespec time;
} frozen_scope;

/// The scope's time. The call is one that the scope has met.
static struct timespec now(const crebind_testing_answer *answer) {
  crebind_testing_meet(answer->scope, answer->caller);
  return ((const frozen_scope *)answer->scope)->time;
}

static time_t tell_time(time_t *result) {
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  time_t seconds = now(&answer).tv_sec;
  if (result != NULL) *result = seconds;
  crebind_testing_end_answer(&answer);
  return seconds;
}

static int tell_time_of_day(struct timeval *result, void *zone) {
  (void)zone;
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  struct timespec time = now(&answer);
  if (result != NULL)
    *result = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
  crebind_testing_end_answer(&answer);
  return 0;
}

typedef int clock_function(clockid_t clock, struct timespec *result);

/// By how much CLOCK_TAI is ahead of the time of day, as far as the system knows: the leap seconds so far.
static time_t leap_seconds(clock_function *original) {
  struct timespec atomic, universal;
  if (original(CLOCK_TAI, &atomic) != 0 || original(CLOCK_REALTIME, &universal) != 0) return 0;
  // The clocks are read one after the other.
  long long difference = (atomic.tv_sec - universal.tv_sec) * 1000000000ll
                         + (atomic.tv_nsec - universal.tv_nsec) + 500000000;
  return (time_t)(difference / 1000000000 - (difference % 1000000000 < 0));
}

static int tell_clock(clockid_t clock, struct timespec *result) {
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  bool tells_time =
      clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  struct timespec time = {0};
  if (tells_time && result != NULL) time = now(&answer);
  clock_function *original = (clock_function *)crebind_testing_begin_original(&answer);
  int status = 0;
  if (!tells_time || result == NULL) status = original(clock, result);
  else if (clock == CLOCK_TAI) time.tv_sec += leap_seconds(original);
  crebind_testing_end_original(&answer);
  if (tells_time && result != NULL) *result = time;
  crebind_testing_end_answer(&answer);
  return status;
}

static int tell_time_of_c11(struct timespec *result, int base) {
  crebind_testing_answer answer;
  crebind_testing_begin_answer(&answer);
  if (base == TIME_UTC && result != NULL) {
    *result = now(&answer);
  } else {
    int (*original)(struct timespec *, int) =
        (int (*)(struct timespec *, int))crebind_testing_begin_original(&answer);
    base = original(result, base);
    crebind_testing_end_original(&answer);
  }
  crebind_testing_end_answer(&answer);
  return base;
}

static const char *const names[] = {"time", "gettimeofday", "clock_gettime", "timespec_get"};
static void *const functions[] = {(void *)tell_time, (void *)tell_time_of_day,
                                  (void *)tell_clock, (void *)tell_time_of_c11};

const char *crebind_testing_frozen_function(size_t index) {
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

crebind_testing_scope *crebind_testing_frozen_scope(crebind_testing_hook *const *hooks,
                                                    int64_t seconds, int64_t nanoseconds) {
  frozen_scope *scope = crebind_testing_function_scope_make(
      sizeof *scope, hooks, functions, sizeof functions / sizeof *functions);
  if (scope == NULL) return NULL;
  scope->time = (struct timespec){.tv_sec = seconds, .tv_nsec = nanoseconds};
  return &scope->scope;
}
#endif
