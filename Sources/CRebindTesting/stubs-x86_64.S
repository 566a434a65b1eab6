/// The stubs for x86-64: two entries a hook, and what they share.
///
/// A call arrives with its arguments in registers and on the stack. All of them are
/// kept, C is asked where to go, and the jump there leaves no trace: what is called
/// sees the caller's own frame and returns to it. If its end is observed it is
/// called, with a copy of the arguments, and C sees the results. C returns them in two
/// registers of either kind, Swift in up to four.

#if defined(__x86_64__)
#include "hook.h"

  .hidden crebind_testing_hooks
  .hidden crebind_testing_select
  .hidden crebind_testing_observe

#define FRAME (CREBIND_TESTING_OBSERVERS + CREBIND_TESTING_OBSERVERS_SIZE)

/// Brings the registers back that `choose` has kept.
.macro load_arguments
  movq -FRAME + 0(%rbp), %rdi
  movq -FRAME + 8(%rbp), %rsi
  movq -FRAME + 16(%rbp), %rdx
  movq -FRAME + 24(%rbp), %rcx
  movq -FRAME + 32(%rbp), %r8
  movq -FRAME + 40(%rbp), %r9
  movq -FRAME + 48(%rbp), %rax
  movq -FRAME + 56(%rbp), %r10
  movaps -FRAME + 64(%rbp), %xmm0
  movaps -FRAME + 80(%rbp), %xmm1
  movaps -FRAME + 96(%rbp), %xmm2
  movaps -FRAME + 112(%rbp), %xmm3
  movaps -FRAME + 128(%rbp), %xmm4
  movaps -FRAME + 144(%rbp), %xmm5
  movaps -FRAME + 160(%rbp), %xmm6
  movaps -FRAME + 176(%rbp), %xmm7
.endm

/// r11 is the hook; `resuming` is the last argument of crebind_testing_select.
.macro choose resuming
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $FRAME, %rsp
  movq %rdi, (%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movq %rax, 48(%rsp)
  movq %r10, 56(%rsp)
  movaps %xmm0, 64(%rsp)
  movaps %xmm1, 80(%rsp)
  movaps %xmm2, 96(%rsp)
  movaps %xmm3, 112(%rsp)
  movaps %xmm4, 128(%rsp)
  movaps %xmm5, 144(%rsp)
  movaps %xmm6, 160(%rsp)
  movaps %xmm7, 176(%rsp)
  movq %r11, %rdi
  movq %rsp, %rsi
  movq 8(%rbp), %rdx
  movl $\resuming, %ecx
  call crebind_testing_select
  movq %rax, %r11
  cmpq $0, CREBIND_TESTING_OBSERVERS(%rsp)
  jne 2f
  load_arguments
  .cfi_remember_state
  leave
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_restore_state
2:
  // The callee finds its arguments on the stack below this frame.
  subq $CREBIND_TESTING_STACK, %rsp
  leaq 16(%rbp), %rsi
  movq %rsp, %rdi
  movl $CREBIND_TESTING_STACK / 8, %ecx
  rep movsq
  load_arguments
  call *%r11
  movq %rax, -FRAME(%rbp)
  movq %rdx, -FRAME + 8(%rbp)
  movq %rcx, -FRAME + 16(%rbp)
  movq %r8, -FRAME + 24(%rbp)
  movaps %xmm0, -FRAME + 64(%rbp)
  movaps %xmm1, -FRAME + 80(%rbp)
  movaps %xmm2, -FRAME + 96(%rbp)
  movaps %xmm3, -FRAME + 112(%rbp)
  leaq -FRAME(%rbp), %rdi
  call crebind_testing_observe
  movq -FRAME(%rbp), %rax
  movq -FRAME + 8(%rbp), %rdx
  movq -FRAME + 16(%rbp), %rcx
  movq -FRAME + 24(%rbp), %r8
  movaps -FRAME + 64(%rbp), %xmm0
  movaps -FRAME + 80(%rbp), %xmm1
  movaps -FRAME + 96(%rbp), %xmm2
  movaps -FRAME + 112(%rbp), %xmm3
  leave
  .cfi_def_cfa %rsp, 8
  ret
.endm

.macro stubs name, target
  .p2align 4
  .hidden \name
  .globl \name
  .type \name, @function
\name:
  .cfi_startproc
  .set index, 0
  .rept CREBIND_TESTING_HOOK_COUNT
  endbr64
  leaq crebind_testing_hooks + index * CREBIND_TESTING_HOOK_SIZE(%rip), %r11
  .byte 0xe9 // jmp with 32 bits, so that every stub has 16 bytes
  .long \target - . - 4
  .set index, index + 1
  .endr
  .cfi_endproc
  .size \name, . - \name
.endm

  .text
  .p2align 4
  .type call_arrives, @function
call_arrives:
  .cfi_startproc
  cmpl $0, CREBIND_TESTING_HOOK_SCOPES(%r11)
  jne 1f
  jmp *(%r11)
1:
  choose 0
  .cfi_endproc
  .size call_arrives, . - call_arrives

  .type call_resumes, @function
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
