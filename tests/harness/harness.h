/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test runner. A test program lists its cases and calls kr_test_main; each case then runs in a
 * process of its own, under cmocka, with a time limit, a check that no file descriptor and no heap
 * memory was left behind, and a line of TAP. `program NAME...` runs only the named cases; `-l`
 * lists.
 */
#ifndef KR_TESTS_HARNESS_H
#define KR_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum kr_test_flags {
	/* The case runs code that keeps memory on purpose (a driver, a library with caches). */
	KR_TEST_KEEPS_MEMORY = 1 << 0,
	/* The case runs code that keeps file descriptors on purpose. */
	KR_TEST_KEEPS_FDS = 1 << 1,
	/* The case must die by this: SIGABRT expected. */
	KR_TEST_EXPECT_ABORT = 1 << 2,
};

struct kr_test {
	const char *name;
	void (*run)(void **state);
	unsigned flags;
	unsigned timeout_s; /* 0: 20 s */
};

/* clang-format off */
#define KR_TEST(fn)             {#fn, fn, 0, 0}
#define KR_TEST_FLAGS(fn, bits) {#fn, fn, bits, 0}
#define KR_TEST_SLOW(fn, bits, seconds) {#fn, fn, bits, seconds}
/* clang-format on */

int kr_test_main(int argc, char **argv, const struct kr_test *tests, size_t count);

#define KR_TEST_MAIN(tests)                                                                        \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return kr_test_main(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]));        \
	}

/*
 * Ends the case as skipped; `reason` is an id of tests/skip-reasons, `detail` a sentence or NULL.
 */
void kr_test_skip(const char *reason, const char *detail) __attribute__((noreturn));
/* The manifest of the installed lavapipe; skips the case where there is none. */
const char *kr_test_lavapipe(void);

/*
 * LeakSanitizer looks at nothing of this case: it has the validation layer check synchronisation,
 * which loses command buffers in circles of references, and is gone with the driver, and so with
 * what both are suppressed by, when leaks are looked for.
 */
void kr_test_ignore_leaks(void);

/* A temporary directory that is removed, with all in it, when the case ends. */
const char *kr_test_dir(void);
/* The path of a name below kr_test_dir, valid until the case ends. */
const char *kr_test_path(const char *name);
/* Writes a file below kr_test_dir and returns its path (valid until the case ends). */
const char *kr_test_file(const char *name, const char *text);
/*
 * A copy of a program that other users can execute, wherever it lies: in kr_test_dir, which they
 * may search then. Valid until the case ends.
 */
const char *kr_test_program_for_others(const char *program);
/* Number of open fds of this process, the one used to count left out. */
int kr_test_count_fds(void);
/*
 * Fails unless soon, within 15 s, no more than `count` of them are open: what is on
 * its way settles.
 */
void kr_test_expect_fds(int count);
/*
 * From now on only so many more fds can be had, until the end of the limit. Another limit may take
 * its place before.
 */
void kr_test_limit_fds(int more);
void kr_test_end_fd_limit(void);
/*
 * Runs a line of the shell: its exit code, and what it wrote to standard output. It must
 * not be ended by a signal.
 */
int kr_test_shell(const char *line, char *output, size_t size);

#endif
