/* SPDX-License-Identifier: Apache-2.0 */
/* See inject.h. Runs in a process that was forked from threads: system calls alone. */
#include "tools/run/inject.h"

#include "tools/run/inject_machine.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

int
kr_inject_is_known(void)
{
	return INJECT_KNOWN;
}

#if !INJECT_KNOWN

int
kr_inject_undumpable(pid_t thread)
{
	return -ENOTSUP;
}

#else

/* Far more than arguments and environment may hold. */
#define STACK_WORDS (1u << 24)
#define VDSO_BYTES  (16u << 10)
#define STEPS       1000
/* Of a kernel's signal set. */
#define MASK_BYTES  8

static int
peek(pid_t thread, uint64_t at, unsigned word, uint64_t *value)
{
	long read;

	errno = 0;
	read = ptrace(PTRACE_PEEKDATA, thread, (void *)(uintptr_t)(at & ~UINT64_C(7)), NULL);
	if (read == -1 && errno)
		return -errno;
	*value = word == 8 ? (uint64_t)read : (uint32_t)((uint64_t)read >> (at & 4) * 8);
	return 0;
}

/* On a new stack lie argument count, arguments, 0, environment, 0, and pairs that 0 ends. */
static int
find_vdso(pid_t thread, const struct inject_kind *kind, uint64_t at, uint64_t *vdso)
{
	uint64_t value = 0, tag = AT_NULL;
	unsigned zeros = 0;

	at += kind->word; /* the count */
	for (unsigned i = 0; i < STACK_WORDS && zeros < 2; i++, at += kind->word) {
		int ret = peek(thread, at, kind->word, &value);

		if (ret)
			return ret;
		zeros += value == 0;
	}
	for (unsigned i = 0; i < 64; i++, at += 2 * kind->word) {
		int ret = peek(thread, at, kind->word, &tag);

		if (!ret)
			ret = peek(thread, at + kind->word, kind->word, vdso);
		if (ret)
			return ret;
		if (tag == AT_SYSINFO_EHDR)
			return *vdso ? 0 : -ENOEXEC;
		if (tag == AT_NULL)
			break;
	}
	return -ENOEXEC;
}

/* Bytes that are such an instruction when they are run, whatever they are part of. */
static int
find_call(pid_t thread, const struct inject_kind *kind, uint64_t vdso, uint64_t *call)
{
	unsigned char bytes[16];

	memset(bytes, 0, sizeof(bytes));
	for (uint64_t at = vdso & ~UINT64_C(7); at < vdso + VDSO_BYTES; at += 8) {
		uint64_t value;

		if (peek(thread, at, 8, &value))
			break;
		memcpy(bytes, bytes + 8, 8);
		memcpy(bytes + 8, &value, 8);
		for (unsigned i = 8 - kind->length + 1; i + kind->length <= 16; i++) {
			if (memcmp(bytes + i, kind->call, kind->length) == 0 &&
				(at + i) % kind->align == 0) {
				*call = at + i - 8;
				return 0;
			}
		}
	}
	return -ENOEXEC;
}

/* To the next beginning or end of a system call. All signals but two are blocked. */
static int
step(pid_t thread, bool *stopped)
{
	for (int i = 0; i < STEPS; i++) {
		int status;

		if (ptrace(PTRACE_SYSCALL, thread, NULL, NULL) < 0)
			return -errno;
		while (waitpid(thread, &status, __WALL) < 0) {
			if (errno != EINTR)
				return -errno;
		}
		if (!WIFSTOPPED(status))
			return -ESRCH;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return 0;
		*stopped |= WSTOPSIG(status) == SIGSTOP;
	}
	return -EBUSY;
}

static int
call(pid_t thread, const struct inject_kind *kind, const inject_registers *begin, uint64_t at,
	uint64_t first, uint64_t second, bool *stopped)
{
	const struct inject_kind *same;
	inject_registers registers = *begin;
	int ret;

	inject_call(&registers, kind, at, first, second);
	ret = inject_set(thread, &registers);
	if (!ret)
		ret = step(thread, stopped); /* where it begins */
	if (!ret)
		ret = step(thread, stopped);
	if (!ret)
		ret = inject_get(thread, &registers, &same);
	return ret ? ret : (int)inject_result(&registers);
}

static int
give_up(pid_t thread, bool *stopped)
{
	const struct inject_kind *kind = NULL;
	inject_registers begin;
	uint64_t vdso = 0, at = 0;
	int ret;

	ret = step(thread, stopped); /* the end of execve, which writes its result */
	if (!ret)
		ret = inject_get(thread, &begin, &kind);
	if (!ret)
		ret = find_vdso(thread, kind, inject_stack(&begin), &vdso);
	if (!ret)
		ret = find_call(thread, kind, vdso, &at);
	if (!ret)
		ret = call(thread, kind, &begin, at, PR_SET_DUMPABLE, 0, stopped);
	if (ret)
		return ret;
	ret = call(thread, kind, &begin, at, PR_GET_DUMPABLE, 0, stopped);
	if (ret)
		return ret < 0 ? ret : -EPERM;
	return inject_set(thread, &begin);
}

int
kr_inject_undumpable(pid_t thread)
{
	uint64_t mask, all = UINT64_MAX;
	bool stopped = false;
	int ret;

	if (ptrace(PTRACE_GETSIGMASK, thread, (void *)MASK_BYTES, &mask) < 0 ||
		ptrace(PTRACE_SETSIGMASK, thread, (void *)MASK_BYTES, &all) < 0)
		return -errno;
	ret = give_up(thread, &stopped);
	if (!ret && ptrace(PTRACE_SETSIGMASK, thread, (void *)MASK_BYTES, &mask) < 0)
		ret = -errno;
	if (!ret && stopped)
		(void)kill(thread, SIGSTOP);
	return ret;
}

#endif
