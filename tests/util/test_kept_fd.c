/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that a program may take away from a library. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/kept_fd.h"

static int
open_null(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* A program without standard input: whatever is opened next gets its number. */
static int
close_standard_input(void)
{
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);

	close(STDIN_FILENO);
	return saved;
}

static void
restore_standard_input(int saved)
{
	if (saved < 0)
		return;
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
}

static void
standard_numbers_are_left(void **state)
{
	int saved = close_standard_input(), fd = open_null();
	struct kr_kept_fd kept = kr_kept_fd_take(fd);

	assert_int_equal(fd, STDIN_FILENO);
	assert_true(kept.fd > STDERR_FILENO);
	assert_true(kr_kept_fd_is_there(&kept));
	assert_true(fcntl(kept.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	kr_kept_fd_close(&kept);
	assert_int_equal(kept.fd, -1);
	restore_standard_input(saved);
}

static void
without_room_it_stays_where_it_is(void **state)
{
	int saved = close_standard_input(), fd = open_null();
	struct rlimit limit, none;
	struct kr_kept_fd kept;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = STDERR_FILENO + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	kept = kr_kept_fd_take(fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(kept.fd, STDIN_FILENO);
	assert_true(kr_kept_fd_is_there(&kept));
	kr_kept_fd_close(&kept);
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	restore_standard_input(saved);
}

/* The program has closed it, and has a file of its own under the number. */
static void
what_took_its_number_is_not_touched(void **state)
{
	struct kr_kept_fd kept = kr_kept_fd_take(open_null());
	int ends[2], number = kept.fd;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(dup3(ends[0], number, O_CLOEXEC), number);
	errno = 77;
	assert_false(kr_kept_fd_is_there(&kept));
	assert_int_equal(errno, 77);
	kr_kept_fd_close(&kept);
	assert_int_equal(kept.fd, -1);
	assert_true(fcntl(number, F_GETFD) >= 0);
	close(number);
	close(ends[0]);
	close(ends[1]);
	/* Closed, and nobody has the number. */
	kept = kr_kept_fd_take(open_null());
	close(kept.fd);
	errno = 77;
	assert_false(kr_kept_fd_is_there(&kept));
	assert_int_equal(errno, 77);
	kr_kept_fd_close(&kept);
	assert_int_equal(kept.fd, -1);
}

static void
nothing_is_nothing(void **state)
{
	struct kr_kept_fd kept = kr_kept_fd_take(-1);

	assert_int_equal(kept.fd, -1);
	assert_false(kr_kept_fd_is_there(&kept));
	kr_kept_fd_close(&kept);
	kept = kr_kept_fd_take(100000);
	assert_int_equal(kept.fd, -1);
	assert_false(kr_kept_fd_is_there(&kept));
}

static const struct kr_test tests[] = {
	KR_TEST(standard_numbers_are_left),
	KR_TEST(without_room_it_stays_where_it_is),
	KR_TEST(what_took_its_number_is_not_touched),
	KR_TEST(nothing_is_nothing),
};

KR_TEST_MAIN(tests)
