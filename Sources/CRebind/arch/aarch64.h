/// AArch64: dynamic relocations of the ELF for the Arm 64-bit Architecture ABI.

#define CREBIND_R_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define CREBIND_R_GLOB_DAT R_AARCH64_GLOB_DAT
#define CREBIND_R_ABSOLUTE R_AARCH64_ABS64
#define CREBIND_ADDENDS CREBIND_ADDENDS_ADDED_AT_LOAD

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
