/// The counters of references for AArch64, where Swift 6.3 calls these functions by the convention
/// preserve_most: beside what C preserves, x9 to x15 keep their values. A counter that is a C function
/// would break its callers.

#if defined(__linux__) && defined(__aarch64__)
#include "CRebindCountedFunctions.h"

  .hidden crebind_counting_originals
  .hidden crebind_counting_note_reference

.macro counter name
  .p2align 4
  .hidden \name
  .globl \name
  .type \name, %function
\name:
  .cfi_startproc
  hint #34 // bti c
  stp x29, x30, [sp, #-112]!
  .cfi_def_cfa_offset 112
  .cfi_offset 29, -112
  .cfi_offset 30, -104
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x8, x9, [sp, #32]
  stp x10, x11, [sp, #48]
  stp x12, x13, [sp, #64]
  stp x14, x15, [sp, #80]
  mov w0, #function
  mov x1, x30
  bl crebind_counting_note_reference
  ldp x0, x1, [sp, #16]
  ldp x8, x9, [sp, #32]
  ldp x10, x11, [sp, #48]
  ldp x12, x13, [sp, #64]
  ldp x14, x15, [sp, #80]
  ldp x29, x30, [sp], #112
  .cfi_def_cfa_offset 0
  .cfi_restore 29
  .cfi_restore 30
  adrp x16, crebind_counting_originals + function * 8
  ldr x16, [x16, :lo12:crebind_counting_originals + function * 8]
  br x16
  .cfi_endproc
  .size \name, . - \name
.endm

  .text
  .set function, 0
#define COUNTER_REFERENCES(symbol) counter crebind_counter_##symbol;
#define COUNTER_MEMORY(symbol)
#define COUNTER_OBJECTS(symbol)
#define COUNTER_ACCESSES(symbol)
#define COUNTER_MAPPINGS(symbol)
#define COUNTER(constant, group, total, symbol) COUNTER_##group(symbol) .set function, function + 1;
  CREBIND_COUNTED_FUNCTIONS(COUNTER)

#endif

#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
