#if defined(__linux__)
#include "processor.h"

uint32_t crebind_stubs_width;

#if defined(__x86_64__)
#include <cpuid.h>

/// The components of xsave that the kernel keeps for AVX, and those for AVX-512 too.
#define AVX 0x6u
#define AVX512 0xe6u

void crebind_stubs_look_at_processor(void) {
  // Virtual machines take long to answer, and each hook prepares the stubs.
  if (crebind_stubs_width != 0) return;
  uint32_t a, b, c, d, width = 16;
  // OSXSAVE, AVX.
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 27) != 0 && (c & 1u << 28) != 0) {
    uint32_t kept, upper;
    __asm__("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
    if ((kept & AVX) == AVX) width = 32;
    // AVX512F.
    if ((kept & AVX512) == AVX512 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 16) != 0)
      width = 64;
  }
  crebind_stubs_width = width;
}

bool crebind_stubs_has_shadow_stack(void) {
  uint64_t pointer = 0;
  // rdsspq %rax, which changes nothing without such a stack, and on processors that do not know it.
  __asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(pointer));
  return pointer != 0;
}

#else

void crebind_stubs_look_at_processor(void) {}

bool crebind_stubs_has_shadow_stack(void) {
  // chkfeat x16: it clears the bits of what is on, and leaves x16 alone on processors that do not know it.
  register uint64_t features __asm__("x16") = 1;
  __asm__ volatile("hint #40" : "+r"(features));
  return features == 0;
}

#endif
#endif
