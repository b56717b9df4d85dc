/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that `krafla run` writes, at paths that are no files: links, FIFOs, devices,
 * descriptors. Devices are nodes of the case's own directory, so that a krafla that
 * replaces one does no harm.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static void
make_node(const char *name, unsigned minor)
{
	if (mknod(kr_test_path(name), S_IFCHR | 0666, makedev(1, minor)))
		kr_test_skip("no-root", "devices can't be made");
}

static void
expect_kind(const char *name, mode_t kind)
{
	struct stat st;

	assert_int_equal(lstat(kr_test_path(name), &st), 0);
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
	json_t *summary = read_summary(kr_test_path(name));

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
	krafla(&out, "run", "--summary", kr_test_path("null"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("null", S_IFCHR);
	krafla(&out, "run", "--summary", kr_test_path("full"), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "full: No space left on device");
	expect_kind("full", S_IFCHR);
	symlink("null", kr_test_path("link"));
	krafla(&out, "run", "--summary", kr_test_path("link"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("link", S_IFLNK);
	expect_kind("null", S_IFCHR);
}

static void
a_summary_follows_a_link(void **state)
{
	struct outcome out;
	struct stat st;

	mkdir(kr_test_path("folder"), 0700);
	kr_test_file("folder/target.json", "old");
	chmod(kr_test_path("folder/target.json"), 0640);
	symlink("folder/target.json", kr_test_path("inner"));
	symlink(kr_test_path("inner"), kr_test_path("link"));
	krafla(&out, "run", "--summary", kr_test_path("link"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("link", S_IFLNK);
	expect_kind("inner", S_IFLNK);
	expect_summary("folder/target.json");
	assert_int_equal(stat(kr_test_path("folder/target.json"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	/* To nothing yet. */
	symlink("folder/new.json", kr_test_path("dangling"));
	krafla(&out, "run", "--summary", kr_test_path("dangling"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_kind("dangling", S_IFLNK);
	expect_summary("folder/new.json");
	assert_int_equal(count_files(kr_test_path("folder"), "krafla"), 0);
	assert_nothing_left();
}

static void
a_link_that_leads_nowhere_is_told(void **state)
{
	struct outcome out;

	symlink("round", kr_test_path("round"));
	krafla(&out, "run", "--summary", kr_test_path("round"), "--", "touch",
		kr_test_path("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "Too many levels of symbolic links");
	symlink("gone/s.json", kr_test_path("gone"));
	krafla(&out, "run", "--summary", kr_test_path("gone"), "--", "touch",
		kr_test_path("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "a link to");
	assert_int_equal(access(kr_test_path("started"), F_OK), -1);
}

/*
 * The output of a command, through a shell: the summary is told apart from messages,
 * which go to stderr.
 */
static void
read_command(const char *redirection, const char *path, char *text, size_t size)
{
	char command[600];

	snprintf(command, sizeof(command),
		"XDG_RUNTIME_DIR='%s' " KRAFLA
		" run --summary %s -- echo from-the-program 2>/dev/null %s",
		kr_test_dir(), path, redirection);
	assert_int_equal(kr_test_shell(command, text, size), 0);
}

static void
a_summary_goes_to_standard_output(void **state)
{
	/* A link like /dev/stdout, which stays out of danger. */
	static char link[256];
	const char *const paths[] = {"-", link, "/dev/fd/1", "/proc/self/fd/1"};
	char text[8192], shell[400];

	snprintf(link, sizeof(link), "%s", kr_test_path("stdout"));
	assert_int_equal(symlink("/proc/self/fd/1", link), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		read_command("", paths[i], text, sizeof(text));
		assert_int_equal(strncmp(text, "from-the-program\n{", 18), 0);
		expect_summary_text(text + 17);
		/* A file, to which others write before and after. */
		unlink(kr_test_path("both"));
		snprintf(shell, sizeof(shell), ">'%s'; cat '%s'", kr_test_path("both"),
			kr_test_path("both"));
		read_command(shell, paths[i], text, sizeof(text));
		assert_int_equal(strncmp(text, "from-the-program\n{", 18), 0);
		expect_summary_text(text + 17);
	}
	snprintf(shell, sizeof(shell), "9>'%s'; cat '%s'", kr_test_path("nine"),
		kr_test_path("nine"));
	read_command(shell, "/dev/fd/9", text, sizeof(text));
	assert_non_null(strstr(text, "from-the-program\n{"));
	expect_summary_text(strchr(text, '{'));
}

static void
a_descriptor_that_is_not_there_is_told(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--summary", "/dev/fd/77", "--", "touch", kr_test_path("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "/dev/fd/77' can't be written");
	assert_int_equal(access(kr_test_path("started"), F_OK), -1);
}

static void
a_reader_of_a_fifo_gets_the_summary(void **state)
{
	char text[8192];
	struct outcome out;
	size_t len;
	FILE *file;
	int fd;

	assert_int_equal(mkfifo(kr_test_path("fifo"), 0600), 0);
	fd = open(kr_test_path("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	krafla(&out, "run", "--summary", kr_test_path("fifo"), "--", "true");
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

	assert_int_equal(mkfifo(kr_test_path("fifo"), 0600), 0);
	krafla(&out, "run", "--summary", kr_test_path("fifo"), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "nobody reads this FIFO");
	expect_kind("fifo", S_IFIFO);
	/* What stood in the way of the temporary name. */
	assert_int_equal(mkfifo(kr_test_path("s.json.part"), 0600), 0);
	krafla(&out, "run", "--summary", kr_test_path("s.json"), "--", "true");
	assert_int_equal(out.code, 0);
	expect_summary("s.json");
	assert_nothing_left();
}

/* --- captures --- */

static void
expect_text(const char *name, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(kr_test_path(name), "re");

	assert_non_null(file);
	(void)!fread(found, 1, sizeof(found) - 1, file);
	fclose(file);
	assert_string_equal(found, text);
}

/* Names that somebody else can foresee: neither his links nor his FIFOs are opened. */
static void
captures_open_nothing_of_others(void **state)
{
	struct outcome out;

	kr_test_file("victim", "precious");
	mkdir(kr_test_path("to"), 0700);
	assert_int_equal(symlink(kr_test_path("victim"), kr_test_path("to/1.png.part")), 0);
	assert_int_equal(symlink(kr_test_path("victim"), kr_test_path("to/1.png")), 0);
	assert_int_equal(mkfifo(kr_test_path("to/2.png.part"), 0600), 0);
	kr_test_file("to/3.png", "an older picture");
	kr_test_file("to/.krafla-0123456789abcdef", "of a krafla that was killed");
	krafla(&out, "run", "--display", "64x48", "--clock", "virtual", "--frames", "3",
		"--capture", kr_test_path("to/%d.png"), "--", PRODUCER, "-", "9");
	assert_int_equal(out.code, 0);
	expect_text("victim", "precious");
	expect_kind("to/1.png", S_IFREG);
	expect_kind("to/2.png", S_IFREG);
	expect_text("to/1.png", "\x89PNG\r\n\x1a\n");
	expect_text("to/3.png", "\x89PNG\r\n\x1a\n");
	assert_int_equal(count_files(kr_test_path("to"), "krafla-"), 1);
}

static void
a_capture_replaces_files_alone(void **state)
{
	struct outcome out;

	mkdir(kr_test_path("1.png"), 0700);
	assert_int_equal(mkfifo(kr_test_path("fifo-1.png"), 0600), 0);
	krafla(&out, "run", "--capture", kr_test_path("%d.png"), "--", "touch",
		kr_test_path("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "1.png' is a directory");
	krafla(&out, "run", "--capture", kr_test_path("fifo-%d.png"), "--", "touch",
		kr_test_path("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "fifo-1.png' is a device, FIFO or socket");
	assert_int_equal(access(kr_test_path("started"), F_OK), -1);
	/* One that is met later ends the run. */
	assert_int_equal(mkfifo(kr_test_path("a-2.png"), 0600), 0);
	krafla(&out, "run", "--display", "64x48", "--capture", kr_test_path("a-%d.png"), "--",
		PRODUCER, "-", "1000");
	assert_int_equal(out.code, 4);
	assert_said(&out, "a-2.png: a device, FIFO or socket is in its place");
	expect_kind("a-2.png", S_IFIFO);
	expect_kind("a-1.png", S_IFREG);
	mkdir(kr_test_path("b-2.png"), 0700);
	krafla(&out, "run", "--display", "64x48", "--capture", kr_test_path("b-%d.png"), "--",
		PRODUCER, "-", "1000");
	assert_int_equal(out.code, 4);
	assert_said(&out, "b-2.png: Is a directory");
	assert_nothing_left();
}

/* --- paths that hold krafla up --- */

/*
 * Signals go out until krafla ends; it hears them wherever it is, which by then is
 * where it is held up.
 */
static void
expect_heard(const char *const arguments[])
{
	const char *output = kr_test_file("output", "");
	pid_t pid = start(arguments, output);
	struct outcome out;
	siginfo_t info;

	poll(NULL, 0, 400);
	do {
		kill(pid, SIGTERM);
		poll(NULL, 0, 100);
		info.si_pid = 0;
		assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
	} while (!info.si_pid);
	finish(pid, output, &out);
	if (out.code != 128 + SIGTERM)
		fail_msg("exit code %d, said:\n%s", out.code, out.text);
}

static void
a_reader_that_does_not_read_is_left(void **state)
{
	const char *const to_fifo[] = {
		"krafla", "run", "--summary", kr_test_path("fifo"), "--", "true", NULL};
	int fd;

	assert_int_equal(mkfifo(kr_test_path("fifo"), 0600), 0);
	fd = open(kr_test_path("fifo"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	while (write(fd, "full", 4) > 0)
		;
	expect_heard(to_fifo);
	close(fd);
	assert_nothing_left();
}

/* The kernel waits for its answer to whatever is asked about a path in it; it never comes. */
static pid_t
mount_silent(const char *path)
{
	struct {
		struct fuse_out_header head;
		struct fuse_init_out init;
	} reply = {
		.head = {.len = sizeof(reply)},
		.init = {.major = FUSE_KERNEL_VERSION,
			.minor = 31,
			.max_write = 4096,
			.flags = FUSE_PARALLEL_DIROPS},
	};
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	static _Alignas(8) char buffer[1 << 17];
	char options[128];
	pid_t server;

	if (device < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		kr_test_skip("no-fuse", strerror(errno));
	snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=%d,group_id=%d", device,
		(int)getuid(), (int)getgid());
	if (mount("krafla-test", path, "fuse", MS_NODEV | MS_NOSUID, options))
		kr_test_skip("no-fuse", strerror(errno));
	server = fork();
	if (server == 0) {
		alarm(30);
		if (read(device, buffer, sizeof(buffer)) > 0) {
			reply.head.unique = ((const struct fuse_in_header *)(void *)buffer)->unique;
			(void)!write(device, &reply, sizeof(reply));
		}
		for (;;)
			pause();
	}
	close(device);
	return server;
}

static void
a_silent_file_system_is_left(void **state)
{
	const char *const captures[] = {
		"krafla", "run", "--capture", kr_test_path("silent/%d.png"), "--", "true", NULL};
	const char *const programs[] = {
		"krafla", "run", "--", kr_test_path("silent/program"), NULL};
	/* Silent only when the program has ended. */
	const char *const summaries[] = {"krafla", "run", "--summary", kr_test_path("s.json"), "--",
		"ln", "-s", "silent/summary", kr_test_path("s.json"), NULL};
	char command[400];
	pid_t server;
	int code = 0;

	mkdir(kr_test_path("silent"), 0700);
	server = mount_silent(kr_test_path("silent"));
	expect_heard(captures);
	/* The process that was to become the program doesn't stay. */
	expect_heard(programs);
	snprintf(command, sizeof(command), "pgrep -f '^krafla run -- %s'", programs[3]);
	for (int i = 0; i < 100 && (code = system(command)) == 0; i++)
		poll(NULL, 0, 20);
	assert_int_equal(WEXITSTATUS(code), 1);
	expect_heard(summaries);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	assert_int_equal(umount2(kr_test_path("silent"), MNT_DETACH), 0);
}

static const struct kr_test tests[] = {
	KR_TEST(a_summary_leaves_a_device_alone),
	KR_TEST(a_summary_follows_a_link),
	KR_TEST(a_link_that_leads_nowhere_is_told),
	KR_TEST(a_summary_goes_to_standard_output),
	KR_TEST(a_descriptor_that_is_not_there_is_told),
	KR_TEST(a_reader_of_a_fifo_gets_the_summary),
	KR_TEST(a_fifo_that_nobody_reads_is_told),
	KR_TEST(captures_open_nothing_of_others),
	KR_TEST(a_capture_replaces_files_alone),
	KR_TEST_SLOW(a_reader_that_does_not_read_is_left, 0, 60),
	KR_TEST_SLOW(a_silent_file_system_is_left, 0, 60),
};
KR_TEST_MAIN(tests)
