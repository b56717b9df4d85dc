/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of several vendors: each is a jump to what stands at its number in the table of the
 * calling thread, with all arguments where they are. Read by the assembler, too.
 */
#ifndef KR_EGL_CALLS_JUMPS_H
#define KR_EGL_CALLS_JUMPS_H

/* glvnd of Debian 12 asks for some 3,000 functions, and for 4,096 more that programs name. */
#define KR_EGL_JUMPS 8192

/* Bytes from one jump to the next; 0: there are none on this machine. */
#if (defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__)
#define KR_EGL_JUMP_SIZE 32
#else
#define KR_EGL_JUMP_SIZE 0
#endif

#ifndef __ASSEMBLER__
extern const char kr_egl_jumps[] __attribute__((visibility("hidden")));

/* The thread's; no jump may be called before it is set. */
extern _Thread_local void **kr_egl_jump_table
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
#endif

#endif
