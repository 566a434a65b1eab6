/// 64-bit PowerPC with the ELFv2 ABI, as ppc64le has it: relocations of the
/// OpenPOWER ABI. Linkers fill most slots that code loads from by
/// R_PPC64_ADDR64, so that GLOB_DAT is rare.

#if defined(__linux__)
#define CREBIND_MACHINE EM_PPC64

/// A slot that leads into its own image may hold the function's local entry
/// point, which expects that image's TOC in r2: no function for others to call.
#define CREBIND_HAS_LOCAL_ENTRIES 1

/// How far the local entry point lies behind the function's address, by the symbol's st_other.
static inline uintptr_t crebind_local_entry_distance(unsigned other) {
  return (1u << (other >> 5 & 7)) & ~3u;
}

/// An unresolved slot holds the address of its own entry in .glink, a single
/// `b` back to the resolver, which begins with `mflr r0; bcl 20,31,.+4`.
static inline bool crebind_is_lazy_stub(const uint8_t *code, size_t room, uint32_t index) {
  (void)index;
  if (room < 4 || (uintptr_t)code % 4 != 0) return false;
  uint32_t branch = *(const uint32_t *)code;
  const uint32_t opcode = branch & 0xfc000003, is_backwards = branch & 0x02000000;
  if (opcode != 0x48000000 || !is_backwards) return false;
  uint32_t distance = 0x04000000 - (branch & 0x03fffffc);
  const uint32_t *resolver = (const uint32_t *)(code - distance);
  return resolver[0] == 0x7c0802a6 && resolver[1] == 0x429f0005;
}

static inline uintptr_t crebind_call_resolver(uintptr_t resolver, struct crebind_hwcap hwcap) {
  return ((uintptr_t(*)(unsigned long))resolver)(hwcap.hwcap);
}

/// The kernel reports an error by the summary overflow bit, and gives its number without a sign.
static inline long crebind_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r0 __asm__("r0") = number;
  register long r3 __asm__("r3") = a, r4 __asm__("r4") = b, r5 __asm__("r5") = c;
  register long r6 __asm__("r6") = d, r7 __asm__("r7") = e, r8 __asm__("r8") = f;
  __asm__ volatile("sc; bns+ 1f; neg %1, %1; 1:"
                   : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
                   :
                   : "memory", "r9", "r10", "r11", "r12", "ctr", "xer", "cr0", "cr1", "cr5", "cr6",
                     "cr7");
  return r3;
}

/// r12 has to be the address of what is jumped to, by which it finds its TOC.
#define CREBIND_DEFINE_TAIL_CALL(name, choose)   \
  __asm__(CREBIND_TAIL_CALL_BEGIN(name)          \
          "0: addis 2, 12, .TOC.-0b@ha\n"        \
          "addi 2, 2, .TOC.-0b@l\n"              \
          ".localentry " #name ", .-" #name "\n" \
          "mflr 0\n"                             \
          "std 0, 16(1)\n"                       \
          "stdu 1, -64(1)\n"                     \
          ".cfi_def_cfa_offset 64\n"             \
          ".cfi_offset 65, 16\n"                 \
          "std 3, 32(1)\n"                       \
          "std 4, 40(1)\n"                       \
          "std 5, 48(1)\n"                       \
          "addi 3, 1, 32\n"                      \
          "mr 4, 0\n"                            \
          "bl " #choose "\n"                     \
          "nop\n"                                \
          "mr 12, 3\n"                           \
          "ld 3, 32(1)\n"                        \
          "ld 4, 40(1)\n"                        \
          "ld 5, 48(1)\n"                        \
          "addi 1, 1, 64\n"                      \
          ".cfi_def_cfa_offset 0\n"              \
          "ld 0, 16(1)\n"                        \
          "mtlr 0\n"                             \
          ".cfi_restore 65\n"                    \
          "mtctr 12\n"                           \
          "bctr\n"                               \
          CREBIND_TAIL_CALL_END(name))
#endif
