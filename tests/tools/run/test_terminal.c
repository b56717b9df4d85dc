/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla run` on a terminal, which is a pseudo terminal here: the progress line, ^C, job control.
 */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS      10000
#define MAX_ARGUMENTS 24

struct terminal {
	pid_t pid;
	int fd;
	size_t size;
	char said[65536];
};

/* krafla leads the session whose terminal it is, as after a login. */
static void
become(const char *slave, const char *dir, char *const *arguments)
{
	int fd;

	setsid();
	fd = open(slave, O_RDWR);
	ioctl(fd, TIOCSCTTY, 0);
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	unsetenv("VK_LOADER_DEBUG");
	execv(KRAFLA, arguments);
	_exit(95);
}

static void
start(struct terminal *terminal, const char *const *arguments)
{
	const char *dir = kr_test_dir();
	char slave[64];

	memset(terminal, 0, sizeof(*terminal));
	terminal->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal->fd < 0)
		kr_test_skip("no-pty", strerror(errno));
	assert_int_equal(grantpt(terminal->fd), 0);
	assert_int_equal(unlockpt(terminal->fd), 0);
	assert_int_equal(ptsname_r(terminal->fd, slave, sizeof(slave)), 0);
	terminal->pid = fork();
	if (terminal->pid == 0)
		become(slave, dir, (char *const *)(uintptr_t)arguments);
	assert_true(terminal->pid > 0);
}

#define START(terminal, ...)                                                                       \
	start(terminal, (const char *const[MAX_ARGUMENTS]){"krafla", __VA_ARGS__, NULL})

/* Reads once; false at the end. */
static bool
listen(struct terminal *terminal)
{
	struct pollfd p = {.fd = terminal->fd, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, LIMIT_MS) <= 0)
		fail_msg("nothing is said any more; so far:\n%s", terminal->said);
	n = read(terminal->fd, terminal->said + terminal->size,
		sizeof(terminal->said) - 1 - terminal->size);
	if (n <= 0) /* EIO: nobody has the other end open */
		return false;
	terminal->size += (size_t)n;
	terminal->said[terminal->size] = '\0';
	return true;
}

static void
wait_for(struct terminal *terminal, const char *words)
{
	while (!strstr(terminal->said, words)) {
		if (!listen(terminal))
			fail_msg("'%s' isn't in what was said:\n%s", words, terminal->said);
	}
}

/* krafla's exit code. */
static int
finish(struct terminal *terminal)
{
	int status;

	while (listen(terminal))
		;
	assert_int_equal(waitpid(terminal->pid, &status, 0), terminal->pid);
	close(terminal->fd);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Sockets live in the test's own directory. */
static void
assert_nothing_left(void)
{
	char command[600];

	snprintf(command, sizeof(command), "test -z \"$(ls '%s')\"", kr_test_dir());
	assert_int_equal(system(command), 0);
}

static void
progress_is_shown_and_cleared(void **state)
{
	static struct terminal terminal;
	const char *end;

	START(&terminal, "run", "--display", "64x48@60", "--frames", "60", "--", PRODUCER, "-",
		"1000");
	assert_int_equal(finish(&terminal), 0);
	assert_non_null(strstr(terminal.said, "\r\033[Kframe "));
	assert_non_null(strstr(terminal.said, " of 60, "));
	assert_non_null(strstr(terminal.said, " frames/s"));
	/* The summary begins on a line of its own. */
	end = strstr(terminal.said, "\r\033[Kkrafla: ");
	assert_non_null(end);
	assert_null(strstr(end + 4, "\033"));
	assert_nothing_left();
}

/* The terminal sends the signal to program and krafla alike; the program gets it once. */
static void
control_c_ends_all(void **state)
{
	static struct terminal terminal;

	START(&terminal, "run", "--display", "64x48@60", "--", PRODUCER, "-", "2", "hang");
	wait_for(&terminal, "frame 2");
	assert_int_equal(write(terminal.fd, "\003", 1), 1);
	assert_int_equal(finish(&terminal), 128 + SIGINT);
	assert_non_null(strstr(terminal.said, "shown in 2 pictures"));
	assert_nothing_left();
}

/*
 * Presses ^C until nobody has the terminal open: one that comes before the last was heard is lost.
 */
static void
press_until_the_end(struct terminal *terminal)
{
	struct pollfd p = {.fd = terminal->fd, .events = POLLIN};

	for (int i = 0; i < 50; i++) {
		if (write(terminal->fd, "\003", 1) != 1)
			return;
		while (poll(&p, 1, 200) > 0) {
			if (!listen(terminal))
				return;
		}
	}
	fail_msg("it goes on after 50 times ^C:\n%s", terminal->said);
}

static void
second_control_c_kills_a_deaf_program(void **state)
{
	static struct terminal terminal;

	START(&terminal, "run", "--display", "64x48@60", "--", "sh", "-c",
		"trap 'echo heard' INT; echo ready; while :; do sleep 0.05; done");
	wait_for(&terminal, "ready");
	assert_int_equal(write(terminal.fd, "\003", 1), 1);
	wait_for(&terminal, "heard");
	press_until_the_end(&terminal);
	assert_int_equal(finish(&terminal), 128 + SIGKILL);
	assert_nothing_left();
}

/*
 * It is in krafla's own process group, the terminal's foreground one, or the kernel would stop it.
 */
static void
program_reads_the_terminal(void **state)
{
	static struct terminal terminal;

	START(&terminal, "run", "--", "sh", "-c",
		"echo ready; read word; echo \"<$word>\"; exit 5");
	wait_for(&terminal, "ready");
	assert_int_equal(write(terminal.fd, "typed\n", 6), 6);
	assert_int_equal(finish(&terminal), 5);
	assert_non_null(strstr(terminal.said, "<typed>"));
}

static const struct kr_test tests[] = {
	KR_TEST(progress_is_shown_and_cleared),
	KR_TEST(control_c_ends_all),
	KR_TEST(second_control_c_kills_a_deaf_program),
	KR_TEST(program_reads_the_terminal),
};
KR_TEST_MAIN(tests)
