/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a case was when it crashed, or when its time was up: the thread that got the signal writes
 * its own backtrace to a descriptor. Nothing is allocated: the heap may be what is broken.
 */
#include "check/rig/state.h"

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_SIZE (64 << 10)
#define MAX_FRAMES 48

static int trace_fd = -1;
static atomic_flag writing = ATOMIC_FLAG_INIT;

int
check_hang_signal(void)
{
	return SIGRTMAX;
}

static void *
program_counter(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (void *)context->uc_mcontext.pc;
#else
	return NULL;
#endif
}

/* Who called what isn't there: the address on top of the stack, if that can be read. */
static void *
return_address(const ucontext_t *context)
{
	void *address = NULL;
#if defined(__x86_64__)
	struct iovec to = {&address, sizeof(address)};
	struct iovec from = {(void *)context->uc_mcontext.gregs[REG_RSP], sizeof(address)};

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof(address))
		return NULL;
#elif defined(__aarch64__)
	address = (void *)context->uc_mcontext.regs[30];
#endif
	return address;
}

static void
write_frames(const ucontext_t *context)
{
	void *frames[MAX_FRAMES], *pc = program_counter(context);
	int count = backtrace(frames, MAX_FRAMES), first = 0;

	while (first < count && frames[first] != pc)
		first++;
	if (first == count) {
		void *here[2] = {pc, return_address(context)};

		backtrace_symbols_fd(here, here[1] ? 2 : 1, trace_fd);
		first = KR_MIN(3, count);
	}
	backtrace_symbols_fd(frames + first, count - first, trace_fd);
}

/* One thread after the other; who never gets his turn says nothing. */
static bool
take_turn(void)
{
	for (int i = 0; i < 1000; i++) {
		if (!atomic_flag_test_and_set(&writing))
			return true;
		usleep(200);
	}
	return false;
}

static void
describe(int number, const siginfo_t *info, const ucontext_t *context)
{
	char line[160], name[16] = "";
	int size;

	if (!take_turn())
		return;
	prctl(PR_GET_NAME, name);
	if (number == check_hang_signal())
		size = snprintf(line, sizeof(line), "thread %d (%s):\n", gettid(), name);
	else if (number == SIGSEGV || number == SIGBUS)
		size = snprintf(line, sizeof(line), "%s at address %p, in thread %d (%s):\n",
			number == SIGSEGV ? "SIGSEGV" : "SIGBUS", info->si_addr, gettid(), name);
	else
		size = snprintf(line, sizeof(line), "signal %d, in thread %d (%s):\n", number,
			gettid(), name);
	if (size > 0 && write(trace_fd, line, KR_MIN((size_t)size, sizeof(line) - 1)) > 0)
		write_frames(context);
	atomic_flag_clear(&writing);
}

static void
handle_crash(int number, siginfo_t *info, void *context)
{
	signal(number, SIG_DFL);
	describe(number, info, context);
	/* Blocked until this returns. */
	raise(number);
}

static void
handle_hang(int number, siginfo_t *info, void *context)
{
	describe(number, info, context);
}

void
check_watch_crashes(int fd)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
	struct sigaction crash = {
		.sa_sigaction = handle_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction hang = {
		.sa_sigaction = handle_hang, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	stack_t stack = {.ss_size = STACK_SIZE};
	void *frame[1];

	trace_fd = fd;
	/* The first one loads a library. */
	(void)backtrace(frame, 1);
	stack.ss_sp =
		mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		(void)sigaltstack(&stack, NULL);
	sigfillset(&crash.sa_mask);
	sigfillset(&hang.sa_mask);
	for (size_t i = 0; i < KR_ARRAY_LEN(crashes); i++)
		sigaction(crashes[i], &crash, NULL);
	sigaction(check_hang_signal(), &hang, NULL);
}
