/// The stubs and trampolines for AArch64. The x86-64 file says what they do. The registers of vectors that have
/// arguments and results are eight, of which SVE's calls have a convention of their own.

#if defined(__linux__) && defined(__aarch64__)
#include "layout.h"

  .hidden crebind_stubs_all
  .hidden crebind_stubs_asked
  .hidden crebind_stubs_hot
  .hidden crebind_stubs_returns
  .hidden crebind_stubs_told

/// The frame's own two registers, sixteen of integers, and eight of vectors.
#define FRAME 272
/// Without those of vectors.
#define INTEGERS 144

.macro keep_integers frame
  stp x29, x30, [sp, #-\frame]!
  .cfi_def_cfa_offset \frame
  .cfi_offset 29, -\frame
  .cfi_offset 30, 8 - \frame
  mov x29, sp
  .cfi_def_cfa_register 29
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x9, [sp, #80]
  stp x10, x11, [sp, #96]
  stp x12, x13, [sp, #112]
  stp x14, x15, [sp, #128]
.endm

.macro bring_integers_back frame
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x8, x9, [sp, #80]
  ldp x10, x11, [sp, #96]
  ldp x12, x13, [sp, #112]
  ldp x14, x15, [sp, #128]
  ldp x29, x30, [sp], #\frame
  .cfi_def_cfa sp, 0
  .cfi_restore 29
  .cfi_restore 30
.endm

.macro keep
  keep_integers FRAME
  stp q0, q1, [sp, #144]
  stp q2, q3, [sp, #176]
  stp q4, q5, [sp, #208]
  stp q6, q7, [sp, #240]
.endm

.macro bring_back
  ldp q0, q1, [sp, #144]
  ldp q2, q3, [sp, #176]
  ldp q4, q5, [sp, #208]
  ldp q6, q7, [sp, #240]
  bring_integers_back FRAME
.endm

/// x16 is the stub's data.
.macro ask is_resuming
  keep
  mov x0, x16
  add x1, sp, #16
  add x2, sp, #8
  mov w3, #\is_resuming
  adrp x16, crebind_stubs_asked
  ldr x16, [x16, :lo12:crebind_stubs_asked]
  blr x16
  mov x16, x0
  bring_back
  br x16
.endm

.macro entries name, target
  .p2align 4
  .hidden \name
  .globl \name
  .type \name, %function
\name:
  .cfi_startproc
  .set index, 0
  .rept CREBIND_STUBS_COUNT
  hint #34 // bti c
  adrp x16, crebind_stubs_all + index * CREBIND_STUBS_SIZE
  add x16, x16, :lo12:crebind_stubs_all + index * CREBIND_STUBS_SIZE
  b \target
  .set index, index + 1
  .endr
  .cfi_endproc
  .size \name, . - \name
.endm

  .text
  .p2align 4
  .type call_arrives, %function
call_arrives:
  .cfi_startproc
  ldr w17, [x16, #8]
  cbnz w17, 1f
  ldr x16, [x16]
  br x16
1:
  tbnz w17, #31, 2f // CREBIND_STUBS_HOT
  ask 0
2:
  keep_integers INTEGERS
  mov x0, x16
  add x1, sp, #16
  add x2, sp, #8
  mov w3, #0
  adrp x16, crebind_stubs_hot
  ldr x16, [x16, :lo12:crebind_stubs_hot]
  blr x16
  mov x16, x0
  bring_integers_back INTEGERS
  br x16
  .cfi_endproc
  .size call_arrives, . - call_arrives

  .type call_resumes, %function
call_resumes:
  .cfi_startproc
  ask 1
  .cfi_endproc
  .size call_resumes, . - call_resumes

  entries crebind_stubs_entries, call_arrives
  entries crebind_stubs_resuming_entries, call_resumes

/// An awaited call has returned; x16 is its trampoline, and so the return address until the true one is known.
  .p2align 4
  .type call_returns, %function
call_returns:
  .cfi_startproc
  mov x30, x16
  keep
  mov x0, x16
  add x1, sp, #16
  add x2, sp, #8
  adrp x16, crebind_stubs_told
  ldr x16, [x16, :lo12:crebind_stubs_told]
  blr x16
  bring_back
  ret
  .cfi_endproc
  .size call_returns, . - call_returns

  .p2align 4
  .hidden crebind_stubs_trampolines
  .globl crebind_stubs_trampolines
  .type crebind_stubs_trampolines, %function
crebind_stubs_trampolines:
  .rept CREBIND_STUBS_TRAMPOLINES
  adr x16, .
  b call_returns
  .long 0, 0
  .endr
  .size crebind_stubs_trampolines, . - crebind_stubs_trampolines
end_of_trampolines:

#define UNWIND_STACK 31
#define UNWIND_RETURN 30
  .section .eh_frame, "a", %progbits
#include "unwind.h"

#endif

#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
