/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine says to `inject.c`: registers of a stopped thread, and a system call in them. */
#ifndef KR_TOOLS_RUN_INJECT_MACHINE_H
#define KR_TOOLS_RUN_INJECT_MACHINE_H

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

/* How programs of this kind make system calls. */
struct inject_kind {
	unsigned word;          /* bytes of a pointer */
	unsigned char call[4];  /* the instruction */
	unsigned length, align; /* of it */
	uint64_t prctl;         /* its number */
};

#if defined(__x86_64__)
#define INJECT_KNOWN 1
#define I386_SEGMENT 0x23

typedef struct user_regs_struct inject_registers;

static const struct inject_kind inject_kinds[] = {
	{8, {0x0f, 0x05}, 2, 1, 157},
	{4, {0xcd, 0x80}, 2, 1, 172},
};

static inline int
inject_get(pid_t thread, inject_registers *registers, const struct inject_kind **kind)
{
	if (ptrace(PTRACE_GETREGS, thread, NULL, registers) < 0)
		return -errno;
	*kind = &inject_kinds[registers->cs == I386_SEGMENT];
	return 0;
}

static inline int
inject_set(pid_t thread, const inject_registers *registers)
{
	return ptrace(PTRACE_SETREGS, thread, NULL, registers) < 0 ? -errno : 0;
}

static inline uint64_t
inject_stack(const inject_registers *registers)
{
	return registers->rsp;
}

/* No system call is to be begun again, which is what a negative number says. */
static inline void
inject_call(inject_registers *registers, const struct inject_kind *kind, uint64_t at,
	uint64_t first, uint64_t second)
{
	registers->rip = at;
	registers->rax = kind->prctl;
	registers->orig_rax = UINT64_MAX;
	if (kind->word == 8) {
		registers->rdi = first;
		registers->rsi = second;
		registers->rdx = registers->r10 = registers->r8 = 0;
	} else {
		registers->rbx = first;
		registers->rcx = second;
		registers->rdx = registers->rsi = registers->rdi = 0;
	}
}

static inline int64_t
inject_result(const inject_registers *registers)
{
	return (int32_t)registers->rax;
}

#elif defined(__aarch64__)
#define INJECT_KNOWN 1

typedef struct user_regs_struct inject_registers;

static const struct inject_kind inject_kinds[] = {
	{8, {0x01, 0x00, 0x00, 0xd4}, 4, 4, 167},
};

static inline int
inject_get(pid_t thread, inject_registers *registers, const struct inject_kind **kind)
{
	struct iovec all = {registers, sizeof(*registers)};

	if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &all) < 0)
		return -errno;
	*kind = &inject_kinds[0];
	return all.iov_len == sizeof(*registers) ? 0 : -ENOTSUP; /* a program of 32 bits */
}

static inline int
inject_set(pid_t thread, const inject_registers *registers)
{
	inject_registers copy = *registers;
	struct iovec all = {&copy, sizeof(copy)};

	return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &all) < 0 ? -errno : 0;
}

static inline uint64_t
inject_stack(const inject_registers *registers)
{
	return registers->sp;
}

static inline void
inject_call(inject_registers *registers, const struct inject_kind *kind, uint64_t at,
	uint64_t first, uint64_t second)
{
	registers->pc = at;
	registers->regs[8] = kind->prctl;
	registers->regs[0] = first;
	registers->regs[1] = second;
	registers->regs[2] = registers->regs[3] = registers->regs[4] = 0;
}

static inline int64_t
inject_result(const inject_registers *registers)
{
	return (int32_t)registers->regs[0];
}

#else
#define INJECT_KNOWN 0
#endif

#endif
