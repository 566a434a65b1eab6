/// The stubs and trampolines for x86-64.
///
/// A call arrives with its arguments in registers and on the stack. All registers that may have
/// arguments are kept, and the handler is asked where to go. The jump there leaves no trace: the function that
/// is called sees the caller's own frame, and returns to the caller or to a trampoline.

#if defined(__linux__) && defined(__x86_64__)
#include "layout.h"

  .hidden crebind_stubs_all
  .hidden crebind_stubs_asked
  .hidden crebind_stubs_hot
  .hidden crebind_stubs_width
  .hidden crebind_stubs_returns
  .hidden crebind_stubs_told

/// The frame: eight registers of integers, eight of numbers as far as SSE knows them, and the same as a whole. C, C++
/// and Swift have arguments and results in no others. xsave would keep those too, but asking what is in use
/// takes longer than all of this.
#define REGISTERS 704
#define WHOLE 192
#define WIDTH crebind_stubs_width(%rip)

/// Keeps the registers of integers, in the order that the macro is given. Changes none.
.macro keep_integers size, first, second, third, fourth, fifth, sixth, seventh, eighth
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $\size, %rsp
  // Some compilers call __fentry__, and older ones __tls_get_addr, on a stack that is not aligned.
  andq $-16, %rsp
  movq \first, (%rsp)
  movq \second, 8(%rsp)
  movq \third, 16(%rsp)
  movq \fourth, 24(%rsp)
  movq \fifth, 32(%rsp)
  movq \sixth, 40(%rsp)
  movq \seventh, 48(%rsp)
  movq \eighth, 56(%rsp)
.endm

/// Keeps all registers.
.macro keep first, second, third, fourth, fifth, sixth, seventh, eighth
  keep_integers REGISTERS, \first, \second, \third, \fourth, \fifth, \sixth, \seventh, \eighth
  .irp index, 0, 1, 2, 3, 4, 5, 6, 7
  movaps %xmm\index, 64 + 16 * \index(%rsp)
  .endr
  cmpl $32, WIDTH
  jb 2f
  ja 1f
  .irp index, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups %ymm\index, WHOLE + 32 * \index(%rsp)
  .endr
  jmp 2f
1:
  .irp index, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups %zmm\index, WHOLE + 64 * \index(%rsp)
  .endr
2:
.endm

/// Brings the registers of integers back, and leaves the frame.
.macro bring_integers_back first, second, third, fourth, fifth, sixth, seventh, eighth
  movq (%rsp), \first
  movq 8(%rsp), \second
  movq 16(%rsp), \third
  movq 24(%rsp), \fourth
  movq 32(%rsp), \fifth
  movq 40(%rsp), \sixth
  movq 48(%rsp), \seventh
  movq 56(%rsp), \eighth
  leave
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
.endm

/// Brings all registers back.
.macro bring_back first, second, third, fourth, fifth, sixth, seventh, eighth
  cmpl $32, WIDTH
  jb 2f
  ja 1f
  .irp index, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups WHOLE + 32 * \index(%rsp), %ymm\index
  .endr
  jmp 3f
1:
  .irp index, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups WHOLE + 64 * \index(%rsp), %zmm\index
  .endr
  jmp 3f
2:
  .irp index, 0, 1, 2, 3, 4, 5, 6, 7
  movaps 64 + 16 * \index(%rsp), %xmm\index
  .endr
3:
  bring_integers_back \first, \second, \third, \fourth, \fifth, \sixth, \seventh, \eighth
.endm

/// r11 is the stub's data.
.macro ask is_resuming
  keep %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax, %r10
  movq %r11, %rdi
  movq %rsp, %rsi
  leaq 8(%rbp), %rdx
  movl $\is_resuming, %ecx
  call *crebind_stubs_asked(%rip)
  movq %rax, %r11
  bring_back %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax, %r10
  jmp *%r11
.endm

.macro entries name, target
  .p2align 4
  .hidden \name
  .globl \name
  .type \name, @function
\name:
  .cfi_startproc
  .set index, 0
  .rept CREBIND_STUBS_COUNT
  endbr64
  leaq crebind_stubs_all + index * CREBIND_STUBS_SIZE(%rip), %r11
  .byte 0xe9 // jmp with 32 bits, so that every entry has 16 bytes
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
  // CREBIND_STUBS_HOT is negative.
  cmpl $0, 8(%r11)
  jg 4f
  jl 5f
  jmp *(%r11)
4:
  ask 0
5:
  keep_integers 64, %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax, %r10
  movq %r11, %rdi
  movq %rsp, %rsi
  leaq 8(%rbp), %rdx
  xorl %ecx, %ecx
  call *crebind_stubs_hot(%rip)
  movq %rax, %r11
  bring_integers_back %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax, %r10
  jmp *%r11
  .cfi_endproc
  .size call_arrives, . - call_arrives

  .type call_resumes, @function
call_resumes:
  .cfi_startproc
  ask 1
  .cfi_endproc
  .size call_resumes, . - call_resumes

  entries crebind_stubs_entries, call_arrives
  entries crebind_stubs_resuming_entries, call_resumes

/// An awaited call has returned; r11 is its trampoline. That is put back in the place of the return address, so that
/// whoever looks at the stack meanwhile finds the call still pending.
  .p2align 4
  .type call_returns, @function
call_returns:
  .cfi_startproc
  .cfi_def_cfa_offset 0
  pushq %r11
  .cfi_def_cfa_offset 8
  keep %rax, %rdx, %rcx, %r8, %rdi, %rsi, %r9, %r10
  movq 8(%rbp), %rdi
  movq %rsp, %rsi
  leaq 8(%rbp), %rdx
  // Results in the registers of x87 are rare: the first one is empty, or all go.
  fxam
  fnstsw %ax
  andl $0x4500, %eax
  cmpl $0x4100, %eax
  jne 4f
  call *crebind_stubs_told(%rip)
5:
  bring_back %rax, %rdx, %rcx, %r8, %rdi, %rsi, %r9, %r10
  // The processor expects no further return, as the callee's was the one of this call.
  popq %r11
  .cfi_adjust_cfa_offset -8
  .cfi_register %rip, %r11
  notrack jmp *%r11
4:
  .cfi_def_cfa %rbp, 16
  .cfi_offset %rip, -8
  subq $112, %rsp
  fnsave (%rsp)
  call *crebind_stubs_told(%rip)
  frstor (%rsp)
  addq $112, %rsp
  jmp 5b
  .cfi_endproc
  .size call_returns, . - call_returns

  .p2align 4
  .hidden crebind_stubs_trampolines
  .globl crebind_stubs_trampolines
  .type crebind_stubs_trampolines, @function
crebind_stubs_trampolines:
  .rept CREBIND_STUBS_TRAMPOLINES
  .byte 0x4c, 0x8d, 0x1d, 0xf9, 0xff, 0xff, 0xff // leaq .(%rip), %r11
  .byte 0xe9
  .long call_returns - . - 4
  .long 0xcccccccc
  .endr
  .size crebind_stubs_trampolines, . - crebind_stubs_trampolines
end_of_trampolines:

#define UNWIND_STACK 7
#define UNWIND_RETURN 16
  .section .eh_frame, "a", @unwind
#include "unwind.h"

#endif

#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
