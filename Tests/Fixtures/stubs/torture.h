/// Functions of a library that the torture's program calls through stubs.

#ifndef TORTURE_H
#define TORTURE_H

#if defined(__x86_64__)
#include <immintrin.h>
#endif

struct bytes_128 {
  long values[16];
};
struct bytes_512 {
  long values[64];
};
struct bytes_4096 {
  long values[512];
};
struct two_numbers {
  double first, second;
};
struct word_and_number {
  long first;
  double second;
};

extern "C" {
void t_throw(int value);
void t_call(void (*function)(void *), void *context);
int t_descend(int depth);
int t_descend_on(int depth);
long t_sum(int count, ...);
double t_sum_of_numbers(int count, ...);
long t_sum_of_128(bytes_128 bytes);
long t_sum_of_512(bytes_512 bytes);
long t_sum_of_4096(bytes_4096 bytes);
bytes_512 t_bytes(long first);
long double t_product(long double a, long double b);
float t_double(float a);
two_numbers t_two_numbers(double a);
word_and_number t_word_and_number(long a);
__int128 t_triple(__int128 a);
double _Complex t_square(double _Complex a);
long double _Complex t_long_square(long double _Complex a);
long t_weigh(long a, long b, long c, long d, long e, long f, long g, long h);
/// Weighs in the other order, by a jump to t_weigh.
long t_weigh_on(long a, long b, long c, long d, long e, long f, long g, long h);
int t_next(int value);
int t_depth(void);
#if defined(__x86_64__)
__attribute__((target("avx"))) __m256d t_256(__m256d a, __m256d b, __m256d c, __m256d d, __m256d e,
                                             __m256d f, __m256d g, __m256d h);
__attribute__((target("avx512f"))) __m512i t_512(__m512i a, __m512i b, __m512i c, __m512i d,
                                                 __m512i e, __m512i f, __m512i g, __m512i h);
/// The parameter needs an address that 64 divides.
__attribute__((target("avx512f"))) bool t_is_aligned(long a, __m512i b, __m512i c, __m512i d,
                                                     __m512i e, __m512i f, __m512i g, __m512i h,
                                                     __m512i i, __m512i on_stack);
#endif
}

#endif
