/// How unwinders go through a pending call, for both machines' stubs. Written by hand, as the assembler's directives
/// take no distance between two sections: the true return address lies as far behind crebind_stubs_returns as the
/// trampoline behind the first one. The frame's address, by which unwinders tell frames apart, lies between the
/// callee's, which is the stack pointer, and the caller's, which is 8 more at least.
///
/// Before: UNWIND_STACK and UNWIND_RETURN, DWARF's numbers of the stack pointer and of the register with the return
/// address (x86-64's has a number, too), below 32; and the section is .eh_frame.

#if defined(__linux__)
cie:
  .long 1f - 0f
0:
  .long 0
  .byte 1
  .asciz "zR"
  .uleb128 1
  .sleb128 -8
  .byte UNWIND_RETURN
  .uleb128 1
  .byte 0x1b // DW_EH_PE_pcrel | DW_EH_PE_sdata4
  .byte 0x0c // DW_CFA_def_cfa: the stack pointer + 4
  .uleb128 UNWIND_STACK
  .uleb128 4
  .byte 0x16 // DW_CFA_val_expression: the stack pointer is 4 less than that
  .uleb128 UNWIND_STACK
  .uleb128 2
  .byte 0x34 // DW_OP_lit4
  .byte 0x1c // DW_OP_minus
  .p2align 3, 0
1:
  .long 1f - 0f
0:
  .long 0b - cie
  .long crebind_stubs_trampolines - .
  .long end_of_trampolines - crebind_stubs_trampolines
  .uleb128 0
  .byte 0x10 // DW_CFA_expression
  .uleb128 UNWIND_RETURN
  .uleb128 3f - 2f
2:
  .byte 0x70 + UNWIND_RETURN // DW_OP_breg: the trampoline
  .sleb128 0
  .byte 0x0e // DW_OP_const8u: its entry, without the upper bits, which aarch64 may have signed
  .quad 0x0000fffffffffff0
  .byte 0x1a // DW_OP_and
  .byte 0x0d // DW_OP_const4s
  .long crebind_stubs_trampolines - .
  .byte 0x1c // DW_OP_minus
  .byte 0x0d // DW_OP_const4s
  .long crebind_stubs_returns - .
  .byte 0x22 // DW_OP_plus
  .byte 0x23 // DW_OP_plus_uconst: so far apart are the last two numbers
  .uleb128 6
3:
  .p2align 3, 0
1:
#endif
