/// Shared names for the machine that this code is compiled for: its relocation types, lazy-binding
/// habits and system calls.
/// - CREBIND_MACHINE, `e_machine`: the relocation types are in CRebindMachines.def
/// - `crebind_is_lazy_stub`, `crebind_call_resolver`, CREBIND_DEFINE_TAIL_CALL
/// - `crebind_raw_call`, which makes a system call of six arguments and returns the kernel's
///   result, or a negative `errno`
///
/// Documentation/Porting.md says how to find them out for another machine.

#if defined(__linux__)
#pragma once

#include "CRebindImages.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The hardware capabilities that the loader passes to IFUNC resolvers.
struct crebind_hwcap {
  unsigned long hwcap, hwcap2;
};

/// A header's CREBIND_DEFINE_TAIL_CALL(name, choose) is a function of up to three arguments that
/// stores them side by side. It passes their address and its own return address to `choose`, and
/// jumps to the address that this returns, with the arguments as they are in memory then. So
/// whoever is jumped to is called by the caller itself.
#define CREBIND_TAIL_CALL_BEGIN(name)                                            \
  ".pushsection .text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name \
  ", %function\n" #name ":\n.cfi_startproc\n"
#define CREBIND_TAIL_CALL_END(name) \
  ".cfi_endproc\n.size " #name ", . - " #name "\n.popsection\n"

#if defined(__x86_64__) && defined(__LP64__)
#include "x86_64.h"
#elif defined(__aarch64__) && defined(__LP64__)
#include "aarch64.h"
#elif defined(__i386__)
#include "i386.h"
#elif defined(__arm__) && defined(__ARMEL__)
#include "arm.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "riscv64.h"
#elif defined(__s390x__)
#include "s390x.h"
#elif defined(__powerpc64__) && defined(_CALL_ELF) && _CALL_ELF == 2
#include "ppc64.h"
#else
#error "CRebind does not know this machine's relocations: add a header to Sources/CRebind/arch"
#endif

/// The relocation types of this machine that fill slots: the sum of its row and of zeros.
#define CREBIND_OF_MACHINE(machine, bits, value) \
  +((machine) == CREBIND_MACHINE && ((bits) == 0 || (bits) == 8 * (int)sizeof(void *)) ? (value) : 0)
enum {
  CREBIND_R_JUMP_SLOT = 0
#define CREBIND_MACHINE_ROW(machine, bits, name, prefix, jump_slot, ...) \
  CREBIND_OF_MACHINE(machine, bits, jump_slot)
#include "CRebindMachines.def"
  ,
  CREBIND_R_GLOB_DAT = 0
#define CREBIND_MACHINE_ROW(machine, bits, name, prefix, j, jn, glob_dat, gn, absolute, ...) \
  CREBIND_OF_MACHINE(machine, bits, (glob_dat) == -1 ? (absolute) : (glob_dat))
#include "CRebindMachines.def"
  ,
  CREBIND_R_ABSOLUTE = 0
#define CREBIND_MACHINE_ROW(machine, bits, name, prefix, j, jn, g, gn, absolute, ...) \
  CREBIND_OF_MACHINE(machine, bits, absolute)
#include "CRebindMachines.def"
  ,
  /// musl's do_relocs always adds addends.
  CREBIND_OWN_ADDENDS = 0
#ifdef __GLIBC__
#define CREBIND_MACHINE_ROW(machine, bits, name, prefix, j, jn, g, gn, a, an, copy, relative, addends) \
  CREBIND_OF_MACHINE(machine, bits, CREBIND_ADDENDS_##addends)
#include "CRebindMachines.def"
#else
  + CREBIND_ADDENDS_ADDED
#endif
};
#define CREBIND_ADDENDS ((crebind_addends)CREBIND_OWN_ADDENDS)

/// The target of a PLT entry that has been rewritten into a jump that reads no slot; 0 for
/// one that has not been.
#ifndef CREBIND_REWRITES_PLT
static inline uintptr_t crebind_direct_jump(const uint8_t *code, size_t room) {
  (void)code, (void)room;
  return 0;
}
#endif

/// Loads of one thread are never seen out of their order by others.
#ifndef CREBIND_KEEPS_ORDER_OF_LOADS
#define CREBIND_KEEPS_ORDER_OF_LOADS 0
#endif

#ifndef CREBIND_HAS_LOCAL_ENTRIES
#define CREBIND_HAS_LOCAL_ENTRIES 0
static inline uintptr_t crebind_local_entry_distance(unsigned other) {
  (void)other;
  return 0;
}
#endif

/// The flags of mprotect(2) for code beyond PROT_EXEC, by the GNU property of the image
/// that CREBIND_CODE_PROPERTY names.
#ifndef CREBIND_CODE_PROPERTY
#define CREBIND_CODE_PROPERTY 0
static inline int crebind_code_protection(uint32_t property, struct crebind_hwcap hwcap) {
  (void)property, (void)hwcap;
  return 0;
}
#endif

#if __SIZEOF_POINTER__ == 8
#define CREBIND_R_SYM(info) ELF64_R_SYM(info)
#define CREBIND_R_TYPE(info) ELF64_R_TYPE(info)
#else
#define CREBIND_R_SYM(info) ELF32_R_SYM(info)
#define CREBIND_R_TYPE(info) ELF32_R_TYPE(info)
#endif
#endif
