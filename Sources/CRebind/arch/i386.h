/// i386: relocations of the System V ABI's Intel386 supplement. Tables are REL.

#if defined(__linux__)
#define CREBIND_MACHINE EM_386
#define CREBIND_KEEPS_ORDER_OF_LOADS 1

/// An unresolved slot holds the address of its own PLT entry's second half:
/// `push $offset; jmp PLT0`, behind an `endbr32` in an IBT-enabled PLT. The offset is that of the
/// relocation in its table. mold's slots hold PLT0 itself: `endbr32; push %ecx`, then `lea` or
/// `mov` of the table's address to %ecx.
static inline bool crebind_is_lazy_stub(const uint8_t *code, size_t room, uint32_t index) {
  // lld puts the PLT at the segment's end: behind the last entry's second half lies nothing.
  if (room < 10) return false;
  bool has_endbr = code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfb;
  if (has_endbr) code += 4;
  if (has_endbr && code[0] == 0x51 && (code[1] == 0xb9 || (code[1] == 0x8d && code[2] == 0x8b)))
    return true;
  uint32_t pushed =
      code[1] | (uint32_t)code[2] << 8 | (uint32_t)code[3] << 16 | (uint32_t)code[4] << 24;
  return code[0] == 0x68 && pushed == index * sizeof(Elf32_Rel);
}

static inline uintptr_t crebind_call_resolver(uintptr_t resolver, struct crebind_hwcap hwcap) {
  (void)hwcap;
  return ((uintptr_t(*)(void))resolver)();
}

/// The sixth argument goes into the frame pointer's register, which an asm cannot
/// name: so it goes there through the stack.
static inline long crebind_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  __asm__ volatile(
      "pushl %[sixth]; pushl %%ebp; movl 4(%%esp), %%ebp; int $0x80; popl %%ebp; addl $4, %%esp"
      : "+a"(number)
      : "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [sixth] "m"(f)
      : "memory", "cc");
  return number;
}

/// The arguments are on the stack, where they stay.
#define CREBIND_DEFINE_TAIL_CALL(name, choose) \
  __asm__(CREBIND_TAIL_CALL_BEGIN(name)        \
          "endbr32\n"                          \
          "lea 4(%esp), %eax\n"                \
          "mov (%esp), %edx\n"                 \
          "sub $4, %esp\n"                     \
          ".cfi_adjust_cfa_offset 4\n"         \
          "push %edx\n"                        \
          ".cfi_adjust_cfa_offset 4\n"         \
          "push %eax\n"                        \
          ".cfi_adjust_cfa_offset 4\n"         \
          "call " #choose "\n"                 \
          "add $12, %esp\n"                    \
          ".cfi_adjust_cfa_offset -12\n"       \
          "jmp *%eax\n"                        \
          CREBIND_TAIL_CALL_END(name))
#endif
