/// The stubs by themselves, without Swift and libffi: a call that passes through one
/// keeps all its arguments and its result, and a fault takes the original's place.

#include "CRebindTesting.h"
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

typedef struct wide {
  double values[6];
} wide;

typedef wide mixed(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                   int64_t h, int64_t i, double j, double k, double l, double m, double n,
                   double o, double p, double q, double r);

static wide original(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                     int64_t h, int64_t i, double j, double k, double l, double m, double n,
                     double o, double p, double q, double r) {
  return (wide){{(double)(a + 2 * b + 4 * c + 8 * d + 16 * e), (double)(32 * f + 64 * g + 128 * h),
                 (double)i, j + 2 * k + 4 * l + 8 * m, 16 * n + 32 * o + 64 * p + 128 * q, r}};
}

static int number(int value) { return value; }

/// In place of Swift's runtime: no task has scopes.
void *swift_task_localValueGet(const void *key) {
  (void)key;
  return NULL;
}

void *swift_task_getCurrent(void) { return NULL; }
uint64_t swift_task_getJobTaskId(void *task) { return task != NULL; }
size_t swift_task_getJobFlags(void *task) { return task != NULL; }

static void call_mixed(const crebind_testing_hook *hook) {
  mixed *call = (mixed *)crebind_testing_hook_stub(hook);
  wide result = call(1, 2, 3, 4, 5, 6, 7, 8, 9, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5);
  wide expected = original(1, 2, 3, 4, 5, 6, 7, 8, 9, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5);
  for (int i = 0; i < 6; i++) CHECK(result.values[i] == expected.values[i]);
}

static uint64_t second_argument;
static double numbers[8];
static uint64_t record(void *context, const crebind_testing_record *record) {
  (void)context;
  second_argument = record->registers[1];
  memcpy(numbers, record->numbers, sizeof numbers);
  errno = 1;
  return 77;
}

static crebind_testing_outcome outcome;
static int observed;
static void observe(void *context, uint64_t call, const crebind_testing_outcome *now) {
  (void)context;
  CHECK(call == 77);
  outcome = *now;
  errno = 2;
  observed++;
  // A function in C may leave anything in the registers of Swift's further results.
#if defined(__aarch64__)
  __asm__ volatile("mov x2, 9; mov x3, 9; movi v2.2d, 0; movi v3.2d, 0" ::: "x2", "x3", "v2", "v3");
#else
  __asm__ volatile("mov $9, %%ecx; mov $9, %%r8d; pxor %%xmm2, %%xmm2; pxor %%xmm3, %%xmm3" ::
                       : "rcx", "r8", "xmm2", "xmm3");
#endif
}

static double half(double value, int error) {
  errno = error;
  return value / 2;
}

typedef struct {
  int64_t words[4];
} four_words;
typedef struct {
  double numbers[4];
} four_numbers;

/// By Swift's convention these are four results, in registers.
__attribute__((swiftcall)) static four_words next_words(int64_t word) {
  return (four_words){{word, word + 1, word + 2, word + 3}};
}

__attribute__((swiftcall)) static four_numbers next_numbers(double number) {
  return (four_numbers){{number, number + 1, number + 2, number + 3}};
}

static jmp_buf place;
static int leave(int how) {
  if (how == 1) longjmp(place, 1);
  if (how == 2) pthread_exit(NULL);
  return how;
}

static bool was_cleaned;
static void clean(void *context) {
  (void)context;
  was_cleaned = true;
}

/// Ends by unwinding the stack, through the stub.
static void *exit_thread(void *stub) {
  pthread_cleanup_push(clean, NULL);
  ((int (*)(int))stub)(2);
  pthread_cleanup_pop(0);
  return stub;
}

/// An observed call may leave by another way than by returning.
static void check_leaving(crebind_testing_hook *hook) {
  *crebind_testing_hook_original(hook) = (void *)leave;
  crebind_testing_scope *scope = crebind_testing_recorder_scope(hook, record, observe, hook, false);
  crebind_testing_begin_process(scope);
  int (*call)(int) = (int (*)(int))crebind_testing_hook_stub(hook);
  observed = 0;
  if (setjmp(place) == 0) call(1);
  pthread_t thread;
  void *result = hook;
  CHECK(pthread_create(&thread, NULL, exit_thread, (void *)call) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == NULL && was_cleaned);
  CHECK(observed == 0 && call(3) == 3 && observed == 1);
  crebind_testing_end_process(scope);
  // Two calls have not ended, so that it is never freed.
  CHECK(crebind_testing_is_busy(scope));
}

/// Calls whose ends are observed have all their arguments, and give their results on.
static void check_observers(crebind_testing_hook *hook, crebind_testing_hook *other) {
  crebind_testing_scope *wide =
      crebind_testing_recorder_scope(hook, record, observe, hook, false);
  crebind_testing_begin_process(wide);
  call_mixed(hook);
  CHECK(observed == 1 && !crebind_testing_is_busy(wide));
  crebind_testing_end_process(wide);
  crebind_testing_free(wide);

  *crebind_testing_hook_original(other) = (void *)half;
  double (*call)(double, int) = (double (*)(double, int))crebind_testing_hook_stub(other);
  crebind_testing_scope *scopes[5];
  for (int i = 0; i < 5; i++) {
    scopes[i] = crebind_testing_recorder_scope(other, record, observe, other, false);
    crebind_testing_begin_thread(scopes[i]);
  }
  observed = 0;
  CHECK(call(5, 42) == 2.5 && errno == 42);
  double number;
  memcpy(&number, &outcome.number, sizeof number);
  CHECK(number == 2.5 && outcome.error == 42);
  // The stub has room for no more.
  CHECK(observed == 4);
  for (int i = 5; i-- > 0;) {
    crebind_testing_end_thread(scopes[i]);
    crebind_testing_free(scopes[i]);
  }
}

/// Swift's functions have more registers for results than those of C.
static void check_results_of_swift(crebind_testing_hook *hook) {
  crebind_testing_scope *scope = crebind_testing_recorder_scope(hook, record, observe, hook, false);
  crebind_testing_begin_thread(scope);
  observed = 0;
  *crebind_testing_hook_original(hook) = (void *)next_words;
  four_words words =
      ((__attribute__((swiftcall)) four_words (*)(int64_t))crebind_testing_hook_stub(hook))(5);
  *crebind_testing_hook_original(hook) = (void *)next_numbers;
  four_numbers numbers =
      ((__attribute__((swiftcall)) four_numbers (*)(double))crebind_testing_hook_stub(hook))(0.5);
  for (int i = 0; i < 4; i++) CHECK(words.words[i] == 5 + i && numbers.numbers[i] == i + 0.5);
  CHECK(observed == 2);
  crebind_testing_end_thread(scope);
  crebind_testing_free(scope);
}

int main(void) {
  // The last one, since its address is the hardest to reach.
  crebind_testing_hook *hook = crebind_testing_hook_at(crebind_testing_hook_limit() - 1);
  *crebind_testing_hook_original(hook) = (void *)original;
  call_mixed(hook);

  crebind_testing_result result = {.kind = CREBIND_TESTING_RETURN_WORD, .word = 42};
  crebind_testing_fault fault = {
      .first = 2, .last = 2, .every = 1, .chance = UINT64_MAX, .results = &result, .result_count = 1};
  crebind_testing_scope *later = crebind_testing_fault_scope(hook, fault, true);
  crebind_testing_begin_process(later);
  call_mixed(hook);
  CHECK(crebind_testing_fault_calls(later) == 1);
  crebind_testing_end_process(later);
  crebind_testing_free(later);

  crebind_testing_scope *recorder = crebind_testing_recorder_scope(hook, record, NULL, hook, false);
  crebind_testing_begin_thread(recorder);
#if defined(__aarch64__)
  call_mixed(hook);  // x8 has the result's place
  CHECK(second_argument == 2);
#else
  call_mixed(hook);  // rdi has the result's place
  CHECK(second_argument == 1);
#endif
  for (int i = 0; i < 8; i++) CHECK(numbers[i] == i + 1.5);
  crebind_testing_end_thread(recorder);
  crebind_testing_free(recorder);

  crebind_testing_hook *other = crebind_testing_hook_at(0);
  check_observers(hook, other);
  check_results_of_swift(other);
  check_leaving(crebind_testing_hook_at(1));
  *crebind_testing_hook_original(other) = (void *)number;
  int (*call)(int) = (int (*)(int))crebind_testing_hook_stub(other);
  fault.first = 1;
  crebind_testing_scope *scope = crebind_testing_fault_scope(other, fault, false);
  crebind_testing_begin_thread(scope);
  CHECK(call(7) == 42 && call(7) == 42 && call(7) == 7);
  crebind_testing_counts counts = crebind_testing_counts_of(scope);
  CHECK(counts.in_reach == 3 && counts.struck == 2 && counts.out_of_reach == 0);
  crebind_testing_suppress_begin();
  CHECK(call(8) == 8);
  crebind_testing_suppress_end();
  crebind_testing_end_thread(scope);
  crebind_testing_free(scope);
  CHECK(call(9) == 9);
  return 0;
}
