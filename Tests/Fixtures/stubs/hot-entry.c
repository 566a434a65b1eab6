/// The hot entry keeps what a call takes, whatever it is, though it saves no register of numbers: its handler
/// changes none. This file and all that is linked to it are compiled without such registers.

#if defined(TARGET) || defined(CALLER)

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

struct pair {
  double number;
  long integer;
};
struct wide {
  char bytes[200];
};
struct __attribute__((aligned(64))) aligned {
  long words[8];
};
typedef double numbers4 __attribute__((vector_size(32)));
// The vectors are passed in registers where the processor has those.
#if defined(__x86_64__)
#define WITH_VECTORS __attribute__((target("avx")))
#define HAS_VECTORS __builtin_cpu_supports("avx")
#else
#define WITH_VECTORS
#define HAS_VECTORS 1
#endif

#if defined(TARGET)

long integers(long a, long b, long c, long d, long e, long f, long g, long h, long i) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
double numbers(double a, float b, double c, double d, double e, double f, double g, double h, double i) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
struct pair mixed(int a, double b) { return (struct pair){b + 1, a + 1}; }
struct wide wide(int first) {
  struct wide result;
  memset(result.bytes, first, sizeof result.bytes);
  return result;
}
long aligned(int unused, struct aligned words) {
  return unused + (long)((uintptr_t)&words % 64) + words.words[7];
}
double variable(int count, ...) {
  double sum = 0;
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; i++) sum += i % 2 == 0 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return sum;
}
WITH_VECTORS numbers4 vectors(numbers4 a, numbers4 b) { return a + b; }
long double longest(long double a) { return a * 2; }

#else

long integers(long, long, long, long, long, long, long, long, long);
double numbers(double, float, double, double, double, double, double, double, double);
struct pair mixed(int, double);
struct wide wide(int);
long aligned(int, struct aligned);
double variable(int, ...);
WITH_VECTORS numbers4 vectors(numbers4, numbers4);
long double longest(long double);

static WITH_VECTORS int wrong_vectors(void) {
  numbers4 sum = vectors((numbers4){1, 2, 3, 4}, (numbers4){10, 20, 30, 40});
  return sum[0] != 11 || sum[1] != 22 || sum[2] != 33 || sum[3] != 44;
}

/// How many calls give something else than they should, and how many were made.
int wrong_calls(int *calls) {
  struct pair pair = mixed(1, 2.5);
  struct wide bytes = wide(7);
  struct aligned words = {{0, 0, 0, 0, 0, 0, 0, 8}};
  int wrong = integers(1, 2, 3, 4, 5, 6, 7, 8, 9) != 285;
  wrong += numbers(1, 2, 3, 4, 5, 6, 7, 8, 9) != 285;
  wrong += pair.number != 3.5 || pair.integer != 2;
  wrong += bytes.bytes[0] != 7 || bytes.bytes[199] != 7;
  wrong += aligned(0, words) != 8;
  wrong += variable(9, 1.5, 2, 3.5, 4, 5.5, 6, 7.5, 8, 9.5) != 47.5;
  wrong += longest(2.5L) != 5;
  *calls = 7;
  if (HAS_VECTORS) wrong += wrong_vectors(), ++*calls;
  return wrong;
}

#endif

#else

#include "CRebind.h"
#include "CRebindStubs.h"
#include "check.h"

#include <string.h>

int wrong_calls(int *calls);

static long counted, ended;
static const char *names[64];
static size_t count;
/// Calls of this function are answered with 3.
static crebind_stub *answered;

static long answer(void) { return 3; }

static void end(crebind_stubs_pending *pending, uint64_t *results) {
  (void)pending, (void)results;
  ended++;
}

static void *arrive(crebind_stub *stub, uint64_t *registers, const void **return_address,
                    bool is_resuming) {
  (void)registers;
  CHECK(!is_resuming);
  counted++;
  if (stub != answered) crebind_stubs_await(return_address, end);
  return stub == answered ? (void *)answer : stub->original;
}

static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  if (!import->is_function || strstr(import->definer.path, context) == NULL) return;
  crebind_stub *stub = crebind_stubs_at(count);
  names[count++] = import->name;
  stub->is_asked = CREBIND_STUBS_HOT;
  choice->replacement = (void *)stub->code;
  choice->original = &stub->original;
  if (strcmp(import->name, "integers") == 0) answered = stub;
}

int main(void) {
  int calls, wrong = wrong_calls(&calls);
  CHECK(wrong == 0);
  crebind_imports *imports;
  crebind_stubs_prepare_hot(arrive);
  CHECK(crebind_apply_imports(choose, "libtarget.so", NULL, &imports, NULL, NULL) == CREBIND_OK);
  CHECK(count == 8 && answered != NULL);
  crebind_stub *integers = answered;
  answered = NULL;
  for (int i = 0; i < 1000; i++) CHECK(wrong_calls(&calls) == 0);
  CHECK(counted == 1000L * calls && ended == counted);
  answered = integers;
  CHECK(wrong_calls(&calls) == 1);
  integers->is_asked = 0;
  counted = 0;
  CHECK(wrong_calls(&calls) == 0 && counted == calls - 1);
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  CHECK(wrong_calls(&calls) == 0 && counted == calls - 1);
  printf("counted, awaited and answered\n");
  return 0;
}

#endif
