/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that `krafla run` writes, at paths that are no files: links, FIFOs, devices, descriptors. Devices are nodes of
 * the case's own directory, so that a krafla that replaces one does no harm.
 */
#include "run_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static void
make_node(const char *name, unsigned minor)
{
	if (mknod(in_dir(name), S_IFCHR | 0666, makedev(1, minor)))
		kr_test_skip("no-root", "devices can't be made");
}

static void
expect_kind(const char *name, mode_t kind)
{
	struct stat st;

	assert_int_equal(lstat(in_dir(name), &st), 0);
	assert_int_equal(st.st_mode & S_IFMT, kind);
}

static void
expect_summary_text(const char *text)
{
	json_t *summary = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);

	assert_non_null(summary);
	assert_non_null(json_object_get(summary, "frames"));
	json_decref(summary);
}

static void
expect_summary(const char *name)
{
	json_t *summary = read_summary(in_dir(name));

	assert_non_null(json_object_get(summary, "frames"));
	json_decref(summary);
}

/* --- summaries --- */

static void
a_summary_leaves_a_device_alone(void **state)
{
	struct outcome out;

	make_node("null", 3);
	make_node("full", 7);
	krafla(&out, "run", "--summary", in_dir("null"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("null", S_IFCHR);
	krafla(&out, "run", "--summary", in_dir("full"), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "full: No space left on device");
	expect_kind("full", S_IFCHR);
	symlink("null", in_dir("link"));
	krafla(&out, "run", "--summary", in_dir("link"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("link", S_IFLNK);
	expect_kind("null", S_IFCHR);
}

static void
a_summary_follows_a_link(void **state)
{
	struct outcome out;
	struct stat st;

	mkdir(in_dir("folder"), 0700);
	kr_test_file("folder/target.json", "old");
	chmod(in_dir("folder/target.json"), 0640);
	symlink("folder/target.json", in_dir("inner"));
	symlink(in_dir("inner"), in_dir("link"));
	krafla(&out, "run", "--summary", in_dir("link"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("link", S_IFLNK);
	expect_kind("inner", S_IFLNK);
	expect_summary("folder/target.json");
	assert_int_equal(stat(in_dir("folder/target.json"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	/* To nothing yet. */
	symlink("folder/new.json", in_dir("dangling"));
	krafla(&out, "run", "--summary", in_dir("dangling"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("dangling", S_IFLNK);
	expect_summary("folder/new.json");
	assert_int_equal(count_files(in_dir("folder"), "krafla"), 0);
	assert_nothing_left();
}

static void
a_link_that_leads_nowhere_is_told(void **state)
{
	struct outcome out;

	symlink("round", in_dir("round"));
	krafla(&out, "run", "--summary", in_dir("round"), "--", "touch", in_dir("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "Too many levels of symbolic links");
	symlink("gone/s.json", in_dir("gone"));
	krafla(&out, "run", "--summary", in_dir("gone"), "--", "touch", in_dir("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "a link to");
	assert_int_equal(access(in_dir("started"), F_OK), -1);
}

/* The output of a command, through a shell: the summary is told apart from messages, which go to stderr. */
static void
read_command(const char *redirection, const char *path, char *text, size_t size)
{
	char command[600];
	FILE *pipe;

	snprintf(command, sizeof(command),
		"XDG_RUNTIME_DIR='%s' " KRAFLA
		" run --summary %s -- echo from-the-program 2>/dev/null %s",
		kr_test_dir(), path, redirection);
	pipe = popen(command, "re");
	assert_non_null(pipe);
	text[fread(text, 1, size - 1, pipe)] = '\0';
	assert_int_equal(pclose(pipe), 0);
}

static void
a_summary_goes_to_standard_output(void **state)
{
	/* A link like /dev/stdout, which stays out of danger. */
	static char link[256];
	const char *const paths[] = {"-", link, "/dev/fd/1", "/proc/self/fd/1"};
	char text[8192], shell[400];

	snprintf(link, sizeof(link), "%s", in_dir("stdout"));
	assert_int_equal(symlink("/proc/self/fd/1", link), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		read_command("", paths[i], text, sizeof(text));
		assert_int_equal(strncmp(text, "from-the-program\n{", 18), 0);
		expect_summary_text(text + 17);
		/* A file, to which others write before and after. */
		unlink(in_dir("both"));
		snprintf(shell, sizeof(shell), ">'%s'; cat '%s'", in_dir("both"), in_dir("both"));
		read_command(shell, paths[i], text, sizeof(text));
		assert_int_equal(strncmp(text, "from-the-program\n{", 18), 0);
		expect_summary_text(text + 17);
	}
	snprintf(shell, sizeof(shell), "9>'%s'; cat '%s'", in_dir("nine"), in_dir("nine"));
	read_command(shell, "/dev/fd/9", text, sizeof(text));
	assert_non_null(strstr(text, "from-the-program\n{"));
	expect_summary_text(strchr(text, '{'));
}

static void
a_descriptor_that_is_not_there_is_told(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--summary", "/dev/fd/77", "--", "touch", in_dir("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "/dev/fd/77' can't be written");
	assert_int_equal(access(in_dir("started"), F_OK), -1);
}

static void
a_reader_of_a_fifo_gets_the_summary(void **state)
{
	char text[8192];
	struct outcome out;
	size_t len;
	FILE *file;
	int fd;

	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	fd = open(in_dir("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	krafla(&out, "run", "--summary", in_dir("fifo"), "--", "true");
	assert_int_equal(out.code, 0);
	file = fdopen(fd, "r");
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	expect_summary_text(text);
	expect_kind("fifo", S_IFIFO);
}

static void
a_fifo_that_nobody_reads_is_told(void **state)
{
	struct outcome out;

	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	krafla(&out, "run", "--summary", in_dir("fifo"), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "nobody reads this FIFO");
	expect_kind("fifo", S_IFIFO);
	/* What stood in the way of the temporary name. */
	assert_int_equal(mkfifo(in_dir("s.json.part"), 0600), 0);
	krafla(&out, "run", "--summary", in_dir("s.json"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_summary("s.json");
	assert_nothing_left();
}

static const struct kr_test tests[] = {
	KR_TEST(a_summary_leaves_a_device_alone),
	KR_TEST(a_summary_follows_a_link),
	KR_TEST(a_link_that_leads_nowhere_is_told),
	KR_TEST(a_summary_goes_to_standard_output),
	KR_TEST(a_descriptor_that_is_not_there_is_told),
	KR_TEST(a_reader_of_a_fifo_gets_the_summary),
	KR_TEST(a_fifo_that_nobody_reads_is_told),
};
KR_TEST_MAIN(tests)
