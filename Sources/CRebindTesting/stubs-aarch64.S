/// The stubs for AArch64: two entries a hook, and what they share. The x86-64 file
/// says what they do.

#if defined(__aarch64__)
#include "hook.h"

  .hidden crebind_testing_hooks
  .hidden crebind_testing_select
  .hidden crebind_testing_observe

/// The two registers of the frame, the first 16 bytes, and what C sees.
#define FRAME (16 + CREBIND_TESTING_OBSERVERS + CREBIND_TESTING_OBSERVERS_SIZE)

/// Brings the registers back that `choose` has kept.
.macro load_arguments
  ldp x0, x1, [x29, #16]
  ldp x2, x3, [x29, #32]
  ldp x4, x5, [x29, #48]
  ldp x6, x7, [x29, #64]
  ldr x8, [x29, #80]
  ldp q0, q1, [x29, #96]
  ldp q2, q3, [x29, #128]
  ldp q4, q5, [x29, #160]
  ldp q6, q7, [x29, #192]
.endm

.macro leave_frame
  ldp x29, x30, [sp], #FRAME
  .cfi_def_cfa sp, 0
  .cfi_restore 29
  .cfi_restore 30
.endm

/// x16 is the hook; `resuming` is the last argument of crebind_testing_select.
.macro choose resuming
  stp x29, x30, [sp, #-FRAME]!
  .cfi_def_cfa_offset FRAME
  .cfi_offset 29, -FRAME
  .cfi_offset 30, 8 - FRAME
  mov x29, sp
  .cfi_def_cfa_register 29
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
  ldr x17, [sp, #16 + CREBIND_TESTING_OBSERVERS]
  load_arguments
  cbnz x17, 2f
  .cfi_remember_state
  leave_frame
  br x16
  .cfi_restore_state
2:
  // The callee finds its arguments on the stack below this frame.
  sub sp, sp, #CREBIND_TESTING_STACK
  mov x9, #CREBIND_TESTING_STACK
  add x10, x29, #FRAME
3:
  sub x9, x9, #16
  add x11, x10, x9
  ldp x12, x13, [x11]
  add x11, sp, x9
  stp x12, x13, [x11]
  cbnz x9, 3b
  blr x16
  stp x0, x1, [x29, #16]
  stp x2, x3, [x29, #32]
  stp q0, q1, [x29, #96]
  stp q2, q3, [x29, #128]
  add x0, x29, #16
  bl crebind_testing_observe
  ldp x0, x1, [x29, #16]
  ldp x2, x3, [x29, #32]
  ldp q0, q1, [x29, #96]
  ldp q2, q3, [x29, #128]
  mov sp, x29
  leave_frame
  ret
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
