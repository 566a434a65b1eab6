/// x86-64: relocations of the psABI, chapter "Relocation Types".

#if defined(__linux__)
#define CREBIND_MACHINE EM_X86_64
#define CREBIND_KEEPS_ORDER_OF_LOADS 1

/// An unresolved slot holds the address of its own PLT entry's second half,
/// `push $index; jmp PLT0`, behind an `endbr64` in an IBT-enabled PLT. mold's
/// slots hold PLT0 itself: `endbr64; push %r11; push GOT+8(%rip)`.
static inline bool crebind_is_lazy_stub(const uint8_t *code, size_t room, uint32_t index) {
  // lld puts the PLT at the segment's end: behind the last entry's second half lies nothing.
  if (room < 10) return false;
  if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa) code += 4;
  if (code[0] == 0x41 && code[1] == 0x53 && code[2] == 0xff && code[3] == 0x35) return true;
  uint32_t pushed =
      code[1] | (uint32_t)code[2] << 8 | (uint32_t)code[3] << 16 | (uint32_t)code[4] << 24;
  return code[0] == 0x68 && pushed == index;
}

/// glibc's x86_64_rewrite_plt (2.39) rewrites the PLT entries of an image that was linked with
/// `-z mark-plt` to `jmp rel32`, or APX's `jmpabs imm64`, behind an `endbr64` or not.
#define CREBIND_REWRITES_PLT 1
static inline uintptr_t crebind_direct_jump(const uint8_t *code, size_t room) {
  enum { LONGEST = 4 + 11 };
  if (room < LONGEST) return 0;
  if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa) code += 4;
  if (code[0] == 0xe9) {
    uint32_t distance =
        code[1] | (uint32_t)code[2] << 8 | (uint32_t)code[3] << 16 | (uint32_t)code[4] << 24;
    return (uintptr_t)code + 5 + (uintptr_t)(intptr_t)(int32_t)distance;
  }
  if (code[0] != 0xd5 || code[1] != 0x00 || code[2] != 0xa1) return 0;
  uintptr_t target = 0;
  for (unsigned i = 0; i < sizeof target; i++) target |= (uintptr_t)code[3 + i] << 8 * i;
  return target;
}

static inline uintptr_t crebind_call_resolver(uintptr_t resolver, struct crebind_hwcap hwcap) {
  (void)hwcap;
  return ((uintptr_t(*)(void))resolver)();
}

static inline long crebind_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return number;
}

#define CREBIND_DEFINE_TAIL_CALL(name, choose) \
  __asm__(CREBIND_TAIL_CALL_BEGIN(name)        \
          "endbr64\n"                          \
          "push %rdx\n"                        \
          ".cfi_adjust_cfa_offset 8\n"         \
          "push %rsi\n"                        \
          ".cfi_adjust_cfa_offset 8\n"         \
          "push %rdi\n"                        \
          ".cfi_adjust_cfa_offset 8\n"         \
          "mov %rsp, %rdi\n"                   \
          "mov 24(%rsp), %rsi\n"               \
          "call " #choose "\n"                 \
          "pop %rdi\n"                         \
          ".cfi_adjust_cfa_offset -8\n"        \
          "pop %rsi\n"                         \
          ".cfi_adjust_cfa_offset -8\n"        \
          "pop %rdx\n"                         \
          ".cfi_adjust_cfa_offset -8\n"        \
          "jmp *%rax\n"                        \
          CREBIND_TAIL_CALL_END(name))
#endif
