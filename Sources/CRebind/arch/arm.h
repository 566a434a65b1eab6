/// 32-bit Arm: relocations of the ELF for the Arm Architecture ABI. Tables are
/// REL, and a Thumb function's address is odd, in slots and symbols alike.

#if defined(__linux__)
#define CREBIND_MACHINE EM_ARM

/// Every unresolved slot holds the address of PLT0: `str lr, [sp, #-4]!`, then
/// `ldr lr, [pc, #4]`, or from lld `add lr, pc, #...`.
static inline bool crebind_is_lazy_stub(const uint8_t *code, size_t room, uint32_t index) {
  (void)index;
  const uint32_t *words = (const uint32_t *)code;
  if (room < 8 || (uintptr_t)code % 4 != 0 || words[0] != 0xe52de004) return false;
  return words[1] == 0xe59fe004 || (words[1] & 0xffffff00) == 0xe28fe600;
}

static inline uintptr_t crebind_call_resolver(uintptr_t resolver, struct crebind_hwcap hwcap) {
  return ((uintptr_t(*)(unsigned long))resolver)(hwcap.hwcap);
}

/// The number goes into r7, which is the frame pointer of Thumb code and cannot be
/// named there.
static inline long crebind_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c;
  register long r3 __asm__("r3") = d, r4 __asm__("r4") = e, r5 __asm__("r5") = f;
  long saved;
  __asm__ volatile("mov %[saved], r7; mov r7, %[number]; svc 0; mov r7, %[saved]"
                   : "+r"(r0), [saved] "=&r"(saved)
                   : [number] "r"(number), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
                   : "memory");
  return r0;
}

#define CREBIND_DEFINE_TAIL_CALL(name, choose) \
  __asm__(CREBIND_TAIL_CALL_BEGIN(name)        \
          ".syntax unified\n"                  \
          ".arm\n"                             \
          "push {r0, r1, r2, lr}\n"            \
          ".cfi_def_cfa_offset 16\n"           \
          ".cfi_offset 14, -4\n"               \
          "mov r0, sp\n"                       \
          "mov r1, lr\n"                       \
          "bl " #choose "\n"                   \
          "mov ip, r0\n"                       \
          "pop {r0, r1, r2, lr}\n"             \
          ".cfi_restore 14\n"                  \
          ".cfi_def_cfa_offset 0\n"            \
          "bx ip\n"                            \
          CREBIND_TAIL_CALL_END(name))
#endif
