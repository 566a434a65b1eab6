/// The relocation types and lazy-binding habits of the machine that this code
/// is compiled for, under shared names: CREBIND_R_JUMP_SLOT, CREBIND_R_GLOB_DAT,
/// CREBIND_R_ABSOLUTE, `crebind_is_lazy_stub` and `crebind_call_resolver`.

#ifndef CREBIND_ARCH_H
#define CREBIND_ARCH_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The hardware capabilities that the loader passes to IFUNC resolvers.
struct crebind_hwcap {
  unsigned long hwcap, hwcap2;
};

#if defined(__x86_64__) && defined(__LP64__)
#include "x86_64.h"
#elif defined(__aarch64__) && defined(__LP64__)
#include "aarch64.h"
#else
#error "CRebind does not know this machine's relocations: add a header to Sources/CRebind/arch"
#endif

#if __SIZEOF_POINTER__ == 8
#define CREBIND_R_SYM(info) ELF64_R_SYM(info)
#define CREBIND_R_TYPE(info) ELF64_R_TYPE(info)
#else
#define CREBIND_R_SYM(info) ELF32_R_SYM(info)
#define CREBIND_R_TYPE(info) ELF32_R_TYPE(info)
#endif

#endif
