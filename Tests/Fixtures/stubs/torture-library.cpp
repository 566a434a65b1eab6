/// The library of the torture: see torture.h.

#include "torture.h"

#include <execinfo.h>
#include <stdarg.h>
#include <stdint.h>

#if defined(__clang__)
#define JUMP __attribute__((musttail))
#else
#define JUMP
#endif

void t_throw(int value) { throw value; }

void t_call(void (*function)(void *), void *context) {
  function(context);
  __asm__ volatile("");
}

int t_descend(int depth) { return depth == 0 ? 0 : 1 + t_descend_on(depth - 1); }

int t_descend_on(int depth) { return depth == 0 ? 0 : 1 + t_descend(depth - 1); }

long t_sum(int count, ...) {
  va_list list;
  va_start(list, count);
  long sum = 0;
  for (int i = 0; i < count; i++) sum += va_arg(list, long) * (i + 1);
  va_end(list);
  return sum;
}

double t_sum_of_numbers(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int i = 0; i < count; i++) sum += va_arg(list, double) * (i + 1);
  va_end(list);
  return sum;
}

template <typename Bytes> static long sum(const Bytes &bytes) {
  long sum = 0, place = 0;
  for (long value : bytes.values) sum += value * ++place;
  return sum;
}

long t_sum_of_128(bytes_128 bytes) { return sum(bytes); }
long t_sum_of_512(bytes_512 bytes) { return sum(bytes); }
long t_sum_of_4096(bytes_4096 bytes) { return sum(bytes); }

bytes_512 t_bytes(long first) {
  bytes_512 bytes;
  for (int i = 0; i < 64; i++) bytes.values[i] = first + i;
  return bytes;
}

long double t_product(long double a, long double b) { return a * b; }
float t_double(float a) { return a * 2; }
two_numbers t_two_numbers(double a) { return {a, a * 2}; }
word_and_number t_word_and_number(long a) { return {a, (double)a * 2}; }
__int128 t_triple(__int128 a) { return a * 3; }
double _Complex t_square(double _Complex a) { return a * a; }
long double _Complex t_long_square(long double _Complex a) { return a * a; }

long t_weigh(long a, long b, long c, long d, long e, long f, long g, long h) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

long t_weigh_on(long a, long b, long c, long d, long e, long f, long g, long h) {
  JUMP return t_weigh(h, g, f, e, d, c, b, a);
}

int t_next(int value) { return value + 1; }

int t_depth(void) {
  void *frames[100];
  return backtrace(frames, 100);
}

#if defined(__x86_64__)
__m256d t_256(__m256d a, __m256d b, __m256d c, __m256d d, __m256d e, __m256d f, __m256d g,
              __m256d h) {
  return a + b + c + d + e + f + g + h;
}

__m512i t_512(__m512i a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g,
              __m512i h) {
  return a + b + c + d + e + f + g + h;
}

bool t_is_aligned(long a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g,
                  __m512i h, __m512i i, __m512i on_stack) {
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i;
  return (uintptr_t)&on_stack % 64 == 0;
}
#endif
