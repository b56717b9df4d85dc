/* SPDX-License-Identifier: Apache-2.0 */
/* See jumps.h: what stands at a number in the table of the thread, kr_egl_jump_table. */
#include "egl/calls/jumps.h"

	.text
	.globl kr_egl_jumps
	.hidden kr_egl_jumps
	.type kr_egl_jumps, %function
	.p2align 5
kr_egl_jumps:

#if KR_EGL_JUMP_SIZE && defined(__x86_64__)
/* Says in the object file whether endbr64 is there, as the compiler's flags want it. */
#include <cet.h>

	.macro jump number
	.p2align 5
	_CET_ENDBR
	mov kr_egl_jump_table@gottpoff(%rip), %r11
	mov %fs:(%r11), %r11
	jmp *(\number * 8)(%r11)
	.endm
#elif KR_EGL_JUMP_SIZE && defined(__aarch64__)
/* x16 and x17 are what code between caller and function may use. */
	.macro jump number
	.p2align 5
	hint #34 /* bti c */
	adrp x17, :gottprel:kr_egl_jump_table
	ldr x17, [x17, :gottprel_lo12:kr_egl_jump_table]
	mrs x16, tpidr_el0
	ldr x16, [x16, x17]
	mov x17, #(\number * 8)
	ldr x16, [x16, x17]
	br x16
	.endm
#endif

#if KR_EGL_JUMP_SIZE
	.altmacro
	.set number, 0
	.rept KR_EGL_JUMPS
	jump %number
	.set number, number + 1
	.endr
#endif
	.size kr_egl_jumps, . - kr_egl_jumps

	.section .note.GNU-stack, "", %progbits
