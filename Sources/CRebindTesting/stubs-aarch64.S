/// The stubs for AArch64: two entries a hook, and what they share. The x86-64 file
/// says what they do.

#if defined(__aarch64__)
#include "hook.h"

  .hidden crebind_testing_hooks
  .hidden crebind_testing_select

/// x16 is the hook; `resuming` is the last argument of crebind_testing_select.
.macro choose resuming
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset 29, -224
  .cfi_offset 30, -216
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x0, x16
  add x1, sp, #16
  mov x2, x30
  mov w3, #\resuming
  bl crebind_testing_select
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  .cfi_def_cfa_offset 0
  .cfi_restore 29
  .cfi_restore 30
  br x16
.endm

.macro stubs name, target
  .p2align 4
  .hidden \name
  .globl \name
  .type \name, %function
\name:
  .cfi_startproc
  .set index, 0
  .rept CREBIND_TESTING_HOOK_COUNT
  hint #34 // bti c
  adrp x16, crebind_testing_hooks + index * CREBIND_TESTING_HOOK_SIZE
  add x16, x16, :lo12:crebind_testing_hooks + index * CREBIND_TESTING_HOOK_SIZE
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
  ldr w17, [x16, #CREBIND_TESTING_HOOK_SCOPES]
  cbnz w17, 1f
  ldr x16, [x16]
  br x16
1:
  choose 0
  .cfi_endproc
  .size call_arrives, . - call_arrives

  .type call_resumes, %function
call_resumes:
  .cfi_startproc
  choose 1
  .cfi_endproc
  .size call_resumes, . - call_resumes

  stubs crebind_testing_stubs, call_arrives
  stubs crebind_testing_resume_stubs, call_resumes

#endif

#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
