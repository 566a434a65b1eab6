/// 64-bit RISC-V: relocations of the RISC-V ELF psABI. Slots that code loads
/// from and pointers in data have one relocation type.

#if defined(__linux__)
#define CREBIND_MACHINE EM_RISCV

/// Every unresolved slot holds the address of PLT0, which begins with
/// `auipc t2, ...; sub t1, t1, t3`.
static inline bool crebind_is_lazy_stub(const uint8_t *code, size_t room, uint32_t index) {
  (void)index;
  const uint32_t *words = (const uint32_t *)code;
  if (room < 8 || (uintptr_t)code % 4 != 0) return false;
  return (words[0] & 0xfff) == 0x397 && words[1] == 0x41c30333;
}

static inline long crebind_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  register long a7 __asm__("a7") = number;
  register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
  register long a3 __asm__("a3") = d, a4 __asm__("a4") = e, a5 __asm__("a5") = f;
  __asm__ volatile("ecall"
                   : "+r"(a0)
                   : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
                   : "memory");
  return a0;
}

/// riscv_hwprobe(2), with errors as positive numbers: resolvers may run before
/// they can call a function of the C library, so they are given this one. Older
/// headers lack its number, SYS_riscv_hwprobe.
static inline int crebind_hwprobe(void *pairs, size_t pair_count, size_t cpu_count,
                                  unsigned long *cpus, unsigned flags) {
  return (int)-crebind_raw_call(258, (long)pairs, (long)pair_count, (long)cpu_count, (long)cpus,
                                (long)flags, 0);
}

/// The third argument is reserved, and glibc passes NULL.
static inline uintptr_t crebind_call_resolver(uintptr_t resolver, struct crebind_hwcap hwcap) {
  return ((uintptr_t(*)(uint64_t, const void *, const void *))resolver)(
      hwcap.hwcap, (const void *)crebind_hwprobe, NULL);
}

#define CREBIND_DEFINE_TAIL_CALL(name, choose) \
  __asm__(CREBIND_TAIL_CALL_BEGIN(name)        \
          "addi sp, sp, -32\n"                 \
          ".cfi_def_cfa_offset 32\n"           \
          "sd ra, 24(sp)\n"                    \
          ".cfi_offset 1, -8\n"                \
          "sd a0, 0(sp)\n"                     \
          "sd a1, 8(sp)\n"                     \
          "sd a2, 16(sp)\n"                    \
          "mv a0, sp\n"                        \
          "mv a1, ra\n"                        \
          "call " #choose "\n"                 \
          "mv t1, a0\n"                        \
          "ld a0, 0(sp)\n"                     \
          "ld a1, 8(sp)\n"                     \
          "ld a2, 16(sp)\n"                    \
          "ld ra, 24(sp)\n"                    \
          ".cfi_restore 1\n"                   \
          "addi sp, sp, 32\n"                  \
          ".cfi_def_cfa_offset 0\n"            \
          "jr t1\n"                            \
          CREBIND_TAIL_CALL_END(name))
#endif
