/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry points of functions whose parameters nobody here knows: all they may touch is the
 * first one. Arguments stay where the caller put them, in registers and on the stack, since
 * each slot ends in a jump.
 *
 *   kr_unknown_slots        the object's first word leads to its table; before that stands the
 *                           function
 *   kr_unknown_terminators  for physical devices of the loader: the same with the driver's table,
 *                           and the object is replaced by the driver's own
 *
 * A function that isn't there yet is looked for by kr_unknown_resolve or
 * kr_unknown_resolve_below, which don't come back when there is none. Around that call every
 * register that can hold an argument is saved.
 */
#include "loader/handles/unknown_layout.h"

#if defined(__x86_64__)
/* Says in the object file whether endbr64 is there, as the compiler's flags want it. */
#include <cet.h>

	.macro find resolver
	.p2align 4
	.cfi_startproc
\resolver\()_first:
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub $176, %rsp
	mov %rdi, (%rsp)
	mov %rsi, 8(%rsp)
	mov %rdx, 16(%rsp)
	mov %rcx, 24(%rsp)
	mov %r8, 32(%rsp)
	mov %r9, 40(%rsp)
	movups %xmm0, 48(%rsp)
	movups %xmm1, 64(%rsp)
	movups %xmm2, 80(%rsp)
	movups %xmm3, 96(%rsp)
	movups %xmm4, 112(%rsp)
	movups %xmm5, 128(%rsp)
	movups %xmm6, 144(%rsp)
	movups %xmm7, 160(%rsp)
	mov %r10d, %esi
	call \resolver
	mov %rax, %r11
	movups 160(%rsp), %xmm7
	movups 144(%rsp), %xmm6
	movups 128(%rsp), %xmm5
	movups 112(%rsp), %xmm4
	movups 96(%rsp), %xmm3
	movups 80(%rsp), %xmm2
	movups 64(%rsp), %xmm1
	movups 48(%rsp), %xmm0
	mov 40(%rsp), %r9
	mov 32(%rsp), %r8
	mov 24(%rsp), %rcx
	mov 16(%rsp), %rdx
	mov 8(%rsp), %rsi
	mov (%rsp), %rdi
	leave
	.cfi_def_cfa %rsp, 8
	jmp *%r11
	.cfi_endproc
	.endm

	.macro slot index
	.p2align 5
	endbr64
	mov $\index, %r10d
	mov (%rdi), %r11
	mov (8 * \index - KR_UNKNOWN_BYTES)(%r11), %r11
	test %r11, %r11
	je kr_unknown_resolve_first
	jmp *%r11
	.endm

	.macro terminator index
	.p2align 6
	endbr64
	mov $\index, %r10d
	mov KR_PHYSICAL_DEVICE_DRIVER(%rdi), %r11
	mov (8 * \index - KR_UNKNOWN_BYTES)(%r11), %r11
	test %r11, %r11
	je kr_unknown_resolve_below_first
	mov KR_PHYSICAL_DEVICE_HANDLE(%rdi), %rdi
	jmp *%r11
	.endm

#elif defined(__aarch64__)

	.macro find resolver
	.p2align 4
	.cfi_startproc
\resolver\()_first:
	stp x29, x30, [sp, #-224]!
	.cfi_def_cfa_offset 224
	.cfi_offset x29, -224
	.cfi_offset x30, -216
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
	mov w1, w17
	bl \resolver
	mov x16, x0
	ldp q6, q7, [sp, #192]
	ldp q4, q5, [sp, #160]
	ldp q2, q3, [sp, #128]
	ldp q0, q1, [sp, #96]
	ldr x8, [sp, #80]
	ldp x6, x7, [sp, #64]
	ldp x4, x5, [sp, #48]
	ldp x2, x3, [sp, #32]
	ldp x0, x1, [sp, #16]
	ldp x29, x30, [sp], #224
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	br x16
	.cfi_endproc
	.endm

	.macro slot index
	.p2align 5
	hint #34 /* bti c */
	mov w17, #\index
	ldr x16, [x0]
	sub x16, x16, #KR_UNKNOWN_BYTES
	ldr x16, [x16, #(8 * \index)]
	cbz x16, kr_unknown_resolve_first
	br x16
	.endm

	.macro terminator index
	.p2align 6
	hint #34 /* bti c */
	mov w17, #\index
	ldr x16, [x0, #KR_PHYSICAL_DEVICE_DRIVER]
	sub x16, x16, #KR_UNKNOWN_BYTES
	ldr x16, [x16, #(8 * \index)]
	cbz x16, kr_unknown_resolve_below_first
	ldr x0, [x0, #KR_PHYSICAL_DEVICE_HANDLE]
	br x16
	.endm

#if defined(__ARM_FEATURE_BTI_DEFAULT)
	/* GNU property: an AArch64 feature word that says BTI. */
	.pushsection .note.gnu.property, "a"
	.p2align 3
	.word 4, 16, 5
	.asciz "GNU"
	.word 0xc0000000, 4, 1, 0
	.popsection
#endif
#endif

#if KR_UNKNOWN_SLOT_SIZE
	.hidden kr_unknown_resolve
	.hidden kr_unknown_resolve_below
#endif
	.altmacro
	.text
	.globl kr_unknown_slots
	.hidden kr_unknown_slots
	.globl kr_unknown_terminators
	.hidden kr_unknown_terminators

	.p2align 6
kr_unknown_slots:
#if KR_UNKNOWN_SLOT_SIZE
	.set number, 0
	.rept KR_UNKNOWN_SLOTS
	slot %number
	.set number, number + 1
	.endr
#endif
	.p2align 6
kr_unknown_terminators:
#if KR_UNKNOWN_SLOT_SIZE
	.set number, 0
	.rept KR_UNKNOWN_SLOTS
	terminator %number
	.set number, number + 1
	.endr

	find kr_unknown_resolve
	find kr_unknown_resolve_below
#endif

	.section .note.GNU-stack, "", %progbits
