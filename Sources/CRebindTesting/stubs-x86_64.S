/// The stubs for x86-64: two entries a hook, and what they share.
///
/// A call arrives with its arguments in registers and on the stack. All of them are
/// kept, C is asked where to go, and the jump there leaves no trace: what is called
/// sees the caller's own frame and returns to it.

#if defined(__x86_64__)
#include "hook.h"

  .hidden crebind_testing_hooks
  .hidden crebind_testing_select

/// r11 is the hook; `resuming` is the last argument of crebind_testing_select.
.macro choose resuming
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $192, %rsp
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
  movq (%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movq 48(%rsp), %rax
  movq 56(%rsp), %r10
  movaps 64(%rsp), %xmm0
  movaps 80(%rsp), %xmm1
  movaps 96(%rsp), %xmm2
  movaps 112(%rsp), %xmm3
  movaps 128(%rsp), %xmm4
  movaps 144(%rsp), %xmm5
  movaps 160(%rsp), %xmm6
  movaps 176(%rsp), %xmm7
  leave
  .cfi_def_cfa %rsp, 8
  jmp *%r11
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
