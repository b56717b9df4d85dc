/* SPDX-License-Identifier: Apache-2.0 */
/* A seccomp filter a call: see deny.h. */
#include "deny.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>

/* include/uapi/linux/prctl.h of Linux 6.3 */
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

#define LOAD(member)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IS(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(number), 0, skip)

static void
apply(struct sock_filter *code, size_t count)
{
	struct sock_fprog program = {(unsigned short)count, code};

	/* Without the filter the case would test nothing. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
}

void
kr_test_deny(long number, int error)
{
	struct sock_filter code[] = {
		LOAD(nr),
		IS(number, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	apply(code, sizeof(code) / sizeof(code[0]));
}

bool
kr_test_deny_code_by_prctl(void)
{
	return !prctl(PR_SET_MDWE, 1, 0, 0, 0);
}

void
kr_test_deny_code_by_filter(void)
{
	/* The low halves of arguments, of a little-endian machine. */
	struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_mmap, 3),
		LOAD(args[2]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 9, 10),
		IS(SYS_mprotect, 2),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 6, 7),
		IS(SYS_pkey_mprotect, 2),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 4),
		IS(SYS_shmat, 3),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SHM_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	apply(code, sizeof(code) / sizeof(code[0]));
}
