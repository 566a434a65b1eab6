/// 64-bit IBM Z, big endian: relocations of the s390x ELF ABI supplement.

#if defined(__linux__)
#define CREBIND_MACHINE EM_S390
#define CREBIND_KEEPS_ORDER_OF_LOADS 1

/// An unresolved slot holds the address of its own PLT entry's second half:
/// `basr %r1, 0; lgf %r1, 12(%r1); jg PLT0`, and the relocation's offset in its
/// table. mold's slots hold PLT0 itself: `stg %r0, 56(%r15); larl %r1, ...`.
static inline bool crebind_is_lazy_stub(const uint8_t *code, size_t room, uint32_t index) {
  static const uint8_t entry[] = {0x0d, 0x10, 0xe3, 0x10, 0x10, 0x0c, 0x00, 0x14, 0xc0, 0xf4};
  static const uint8_t header[] = {0xe3, 0x00, 0xf0, 0x38, 0x00, 0x24, 0xc0, 0x10};
  enum { OFFSET = 14 };
  if (room < OFFSET + 4) return false;
  size_t same = 0;
  while (same < sizeof header && code[same] == header[same]) same++;
  if (same == sizeof header) return true;
  for (same = 0; same < sizeof entry && code[same] == entry[same];) same++;
  uint32_t offset = (uint32_t)code[OFFSET] << 24 | (uint32_t)code[OFFSET + 1] << 16
                    | (uint32_t)code[OFFSET + 2] << 8 | code[OFFSET + 3];
  return same == sizeof entry && offset == index * sizeof(Elf64_Rela);
}

static inline uintptr_t crebind_call_resolver(uintptr_t resolver, struct crebind_hwcap hwcap) {
  return ((uintptr_t(*)(unsigned long))resolver)(hwcap.hwcap);
}

static inline long crebind_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r1 __asm__("r1") = number;
  register long r2 __asm__("r2") = a, r3 __asm__("r3") = b, r4 __asm__("r4") = c;
  register long r5 __asm__("r5") = d, r6 __asm__("r6") = e, r7 __asm__("r7") = f;
  __asm__ volatile("svc 0"
                   : "+r"(r2)
                   : "r"(r1), "r"(r3), "r"(r4), "r"(r5), "r"(r6), "r"(r7)
                   : "memory");
  return r2;
}

/// The caller has left room for the registers.
#define CREBIND_DEFINE_TAIL_CALL(name, choose) \
  __asm__(CREBIND_TAIL_CALL_BEGIN(name)        \
          "stmg %r2, %r4, 16(%r15)\n"          \
          "stg %r14, 112(%r15)\n"              \
          ".cfi_offset 14, -48\n"              \
          "la %r2, 16(%r15)\n"                 \
          "lgr %r3, %r14\n"                    \
          "lgr %r1, %r15\n"                    \
          "aghi %r15, -160\n"                  \
          ".cfi_adjust_cfa_offset 160\n"       \
          "stg %r1, 0(%r15)\n"                 \
          "brasl %r14, " #choose "\n"          \
          "lgr %r1, %r2\n"                     \
          "aghi %r15, 160\n"                   \
          ".cfi_adjust_cfa_offset -160\n"      \
          "lmg %r2, %r4, 16(%r15)\n"           \
          "lg %r14, 112(%r15)\n"               \
          ".cfi_restore 14\n"                  \
          "br %r1\n"                           \
          CREBIND_TAIL_CALL_END(name))
#endif
