/* SPDX-License-Identifier: Apache-2.0 */
/* What EGL costs: how whoever listens has it, whatever becomes of the process. */
#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "egl/vendor/report.h"

/* What KRAFLA_REPORT names from now on. */
static int
listen_here(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", kr_test_path("report"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(setenv("KRAFLA_REPORT", address.sun_path, 1), 0);
	return fd;
}

/* The descriptor that came with the next word "egl"; -1: nothing has come. */
static int
hear(int listener)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char text[100] = "";
	struct iovec data = {text, sizeof(text) - 1};
	struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	int fd;

	if (recvmsg(listener, &message, MSG_CMSG_CLOEXEC) < 0)
		return -1;
	assert_string_equal(text, "egl");
	assert_non_null(CMSG_FIRSTHDR(&message));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static uint64_t
number(int fd, enum kr_egl_counter what)
{
	uint64_t value;

	assert_int_equal(
		pread(fd, &value, sizeof(value), (off_t)(sizeof(value) * what)), sizeof(value));
	return value;
}

static void
expect_killed(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void
test_who_is_killed_has_told_all(void **state)
{
	int listener = listen_here(), fd;
	pid_t child = fork();

	if (!child) {
		for (int i = 0; i < 1000; i++) {
			kr_egl_count(KR_EGL_FRAMES, 1);
			kr_egl_count_report();
			kr_egl_count(KR_EGL_COPIED_BYTES, 100);
		}
		kr_egl_count(KR_EGL_FRAMES, -1);
		raise(SIGKILL);
	}
	expect_killed(child);
	fd = hear(listener);
	assert_true(fd >= 0);
	assert_int_equal(number(fd, KR_EGL_FRAMES), 999);
	assert_int_equal(number(fd, KR_EGL_COPIED_BYTES), 100000);
	assert_int_equal(number(fd, KR_EGL_CPU_WAIT_NS), 0);
	/* Nobody can take the memory from under the program. */
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(hear(listener), -1);
	close(fd);
	close(listener);
}

/* The child's are counted once. */
static void
test_a_fork_counts_on(void **state)
{
	int listener = listen_here(), fd;
	pid_t child;

	kr_egl_count(KR_EGL_FRAMES, 5);
	child = fork();
	if (!child) {
		kr_egl_count(KR_EGL_FRAMES, 2);
		raise(SIGKILL);
	}
	expect_killed(child);
	kr_egl_count_report();
	fd = hear(listener);
	assert_int_equal(number(fd, KR_EGL_FRAMES), 7);
	assert_int_equal(kr_egl_counted(KR_EGL_FRAMES), 7);
	close(fd);
	close(listener);
}

/* It is told with a later frame; nobody waits meanwhile. */
static void
test_a_full_socket(void **state)
{
	int listener = listen_here(), other, fd = -1;
	struct sockaddr_un address;
	socklen_t size = sizeof(address);
	unsigned sent = 0;

	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	other = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	while (sendto(other, "egl", 3, 0, (struct sockaddr *)&address, size) == 3)
		sent++;
	assert_true(sent > 0);
	for (int i = 0; i < 3; i++) {
		kr_egl_count(KR_EGL_FRAMES, 1);
		kr_egl_count_report();
	}
	while (sent--) {
		char text[8];

		assert_int_equal(recv(listener, text, sizeof(text), 0), 3);
	}
	assert_int_equal(hear(listener), -1);
	kr_egl_count_report();
	fd = hear(listener);
	assert_true(fd >= 0);
	assert_int_equal(number(fd, KR_EGL_FRAMES), 3);
	close(fd);
	close(other);
	close(listener);
}

static void
test_nobody_listens(void **state)
{
	assert_int_equal(unsetenv("KRAFLA_REPORT"), 0);
	kr_egl_count(KR_EGL_FRAMES, 1);
	kr_egl_count_report();
	assert_int_equal(kr_egl_counted(KR_EGL_FRAMES), 1);
}

static void
test_somebody_listened_once(void **state)
{
	close(listen_here());
	kr_egl_count(KR_EGL_FRAMES, 1);
	kr_egl_count_report();
	assert_int_equal(kr_egl_counted(KR_EGL_FRAMES), 1);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(test_who_is_killed_has_told_all, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_a_fork_counts_on, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_a_full_socket, KR_TEST_KEEPS_MEMORY),
	KR_TEST(test_nobody_listens),
	KR_TEST_FLAGS(test_somebody_listened_once, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
