/// AArch64: dynamic relocations of the ELF for the Arm 64-bit Architecture ABI.

#if defined(__linux__)
#define CREBIND_MACHINE EM_AARCH64

/// Code of images with GNU_PROPERTY_AARCH64_FEATURE_1_BTI is mapped with PROT_BTI,
/// where the processor has it (HWCAP2_BTI).
static inline int crebind_code_protection(uint32_t property, struct crebind_hwcap hwcap) {
  return (property & 1) != 0 && (hwcap.hwcap2 >> 17 & 1) != 0 ? 0x10 : 0;
}
#define CREBIND_CODE_PROPERTY 0xc0000000

/// Every unresolved slot holds the address of PLT0, which begins with
/// `stp x16, x30, [sp, #-16]!`, behind a `bti c` where BTI is on.
static inline bool crebind_is_lazy_stub(const uint8_t *code, size_t room, uint32_t index) {
  (void)index;
  const uint32_t *words = (const uint32_t *)code;
  if (room < 8 || (uintptr_t)code % 4 != 0) return false;
  const uint32_t bti_c = 0xd503245f, store_pair = 0xa9bf7bf0;
  return words[0] == store_pair || (words[0] == bti_c && words[1] == store_pair);
}

/// Resolvers take AT_HWCAP with bit 62 set, and the address of the rest.
static inline uintptr_t crebind_call_resolver(uintptr_t resolver, struct crebind_hwcap hwcap) {
  struct {
    unsigned long size, hwcap, hwcap2;
  } rest = {sizeof rest, hwcap.hwcap, hwcap.hwcap2};
  return ((uintptr_t(*)(uint64_t, const void *))resolver)(hwcap.hwcap | 1UL << 62, &rest);
}

static inline long crebind_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

/// By x16, which may jump to a `bti c`; `hint #34` is one.
#define CREBIND_DEFINE_TAIL_CALL(name, choose) \
  __asm__(CREBIND_TAIL_CALL_BEGIN(name)        \
          "hint #34\n"                         \
          "stp x29, x30, [sp, #-48]!\n"        \
          ".cfi_def_cfa_offset 48\n"           \
          ".cfi_offset 29, -48\n"              \
          ".cfi_offset 30, -40\n"              \
          "mov x29, sp\n"                      \
          "stp x0, x1, [sp, #16]\n"            \
          "str x2, [sp, #32]\n"                \
          "add x0, sp, #16\n"                  \
          "mov x1, x30\n"                      \
          "bl " #choose "\n"                   \
          "mov x16, x0\n"                      \
          "ldp x0, x1, [sp, #16]\n"            \
          "ldr x2, [sp, #32]\n"                \
          "ldp x29, x30, [sp], #48\n"          \
          ".cfi_restore 30\n"                  \
          ".cfi_restore 29\n"                  \
          ".cfi_def_cfa_offset 0\n"            \
          "br x16\n"                           \
          CREBIND_TAIL_CALL_END(name))
#endif
