/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla deliver as a command: its options, which of the installed drivers it takes, what
 * its command inherits, exit codes. The drivers are fakes; tests/integration/test_sandbox*.c
 * give real ones to sandboxes.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "util/macros.h"
#include "wire/loader_service.h"
#include "wire/packet.h"

#define DELIVER(...) ((const char *const[]){KRAFLA, "deliver", __VA_ARGS__, NULL})

struct result {
	int code;
	char output[16 * 1024]; /* of both */
};

/* A folder of manifests is all that this system has. */
static void
forget_drivers(void)
{
	setenv("VK_DRIVER_FILES", kr_test_dir(), 1);
	setenv("KRAFLA_SERVICE", "none", 1);
	unsetenv("VK_LOADER_DRIVERS_SELECT");
	unsetenv("VK_LOADER_DRIVERS_DISABLE");
	unsetenv("LD_LIBRARY_PATH");
}

static void
run(struct result *result, const char *const *argv)
{
	char path[1024];
	int status = 0, file;
	ssize_t size;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/output", kr_test_dir());
	file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	pid = fork();
	if (pid == 0) {
		dup2(file, STDOUT_FILENO);
		dup2(file, STDERR_FILENO);
		execv(argv[0], (char *const *)argv);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	size = pread(file, result->output, sizeof(result->output) - 1, 0);
	result->output[size > 0 ? size : 0] = '\0';
	result->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	close(file);
	unlink(path);
}

static void
expect(const char *const *argv, int code, const char *part)
{
	struct result result;

	run(&result, argv);
	if (result.code != code || !strstr(result.output, part))
		fail_msg(
			"%d and '%s' were due, not %d: %s", code, part, result.code, result.output);
}

/* Whether mounts can be made here; found out without krafla. */
static bool
mounts_can_be_had(void)
{
	int status;
	const pid_t pid = fork();

	if (!pid)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWNS) ? 1 : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !status;
}

/* A fake under that library name; its manifest is NAME.json. */
static const char *
add_driver(const char *name, const char *library)
{
	static char manifest[1024];
	char text[2048], command[2048];

	snprintf(command, sizeof(command), "cp '%s' %s/%s", TEST_DRIVER, kr_test_dir(), library);
	assert_int_equal(system(command), 0);
	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"./%s\", "
		"\"api_version\": \"1.2.3\"}}",
		library);
	snprintf(manifest, sizeof(manifest), "%s.json", name);
	return kr_test_file(manifest, text);
}

/*
 * What the command finds of the driver; a mount's root can be listed, and so can a
 * descriptor of memory be read.
 */
#define LIST                                                                                       \
	"case $KRAFLA_DELIVERED in mount:*) ls /proc/self/fd/${KRAFLA_DELIVERED#mount:}/;; "       \
	"memory:*) fd=${KRAFLA_DELIVERED#memory:}; cat /proc/self/fd/${fd%%,*};; esac"

static void
wrong_command_lines(void **state)
{
	expect(DELIVER("--strict"), 2, "no command is named");
	expect(DELIVER("--odd", "true"), 2, "'--odd'");
	expect(DELIVER("--driver"), 2, "needs a value");
	expect(DELIVER("--driver", "", "true"), 2, "--driver wants");
	expect(DELIVER("--strict=yes", "true"), 2, "takes no value");
	expect(DELIVER("--service", "x", "--no-service", "true"), 2, "exclude");
	expect(DELIVER("--strict", "--library-path", "true"), 2, "--library-path");
	expect(DELIVER("--bwrap", "vkcube"), 2, "isn't bwrap");
	expect(DELIVER("--help"), 0, "usage: krafla deliver");
}

static void
exit_code_is_the_commands(void **state)
{
	forget_drivers();
	add_driver("fake", "libvulkan_fake.so");
	expect(DELIVER("--", "sh", "-c", "exit 42"), 42, "");
	expect(DELIVER("sh", "-c", "kill -TERM $$"), 128 + 15, "");
	expect(DELIVER("--", "/nonexistent"), 127, "can't run '/nonexistent'");
	expect(DELIVER("--", kr_test_dir()), 126, "can't run");
}

/* The process stays the one that was started: who waits for it waits for the command. */
static void
krafla_becomes_the_command(void **state)
{
	static const char script[] =
		"exec 5>%s/pid; echo $$ >&5; exec %s deliver -- sh -c 'read pid <%s/pid; "
		"test $pid = $$ && echo the same'";
	char command[4096];

	forget_drivers();
	add_driver("fake", "libvulkan_fake.so");
	snprintf(command, sizeof(command), script, kr_test_dir(), KRAFLA, kr_test_dir());
	expect((const char *const[]){"/bin/sh", "-c", command, NULL}, 0, "the same");
}

static void
drivers_have_several_names(void **state)
{
	const char *manifest;
	char package[1024];

	forget_drivers();
	add_driver("other", "libvulkan_other.so");
	manifest = add_driver("fake_icd.x86_64", "libvulkan_fake.so");
	expect(DELIVER("--driver", "fake", "sh", "-c", LIST), 0, "libvulkan_fake.so");
	expect(DELIVER("--driver", "libvulkan_fake.so", "sh", "-c", LIST), 0, "libvulkan_fake.so");
	expect(DELIVER("--driver", "fake_icd.x86_64.json", "sh", "-c", LIST), 0,
		"libvulkan_fake.so");
	expect(DELIVER("--driver", manifest, "sh", "-c", LIST), 0, "libvulkan_fake.so");
	expect(DELIVER("--driver", "other", "sh", "-c", LIST), 0, "libvulkan_other.so");
	snprintf(package, sizeof(package), "%s/package", kr_test_dir());
	expect(((const char *const[]){KRAFLA, "package", manifest, "-o", package, NULL}), 0, "");
	expect(DELIVER("--driver", package, "sh", "-c", LIST), 0, "libvulkan_fake.so");
}

static void
unknown_driver_is_told_with_those_there_are(void **state)
{
	forget_drivers();
	expect(DELIVER("--driver", "x", "true"), 125, "no driver 'x' here, nor any other");
	add_driver("fake", "libvulkan_fake.so");
	kr_test_file("broken.json", "{");
	expect(DELIVER("--driver", "x", "true"), 125, "no driver 'x' here; there are:");
	expect(DELIVER("--driver", "x", "true"), 125, "  libvulkan_fake.so (");
	expect(DELIVER("--driver", "x", "true"), 125, "broken.json");
	expect(DELIVER("--driver", "fak", "true"), 125, "no driver 'fak'");
	expect(DELIVER("--driver", "/nonexistent/x.json", "true"), 125, "/nonexistent/x.json");
}

/* A software driver is what nobody wants who has another, wherever it stands in the search. */
static void
software_comes_last(void **state)
{
	char list[4096];

	forget_drivers();
	add_driver("b", "libvulkan_lvp.so");
	expect(DELIVER("sh", "-c", LIST), 0, "libvulkan_lvp.so");
	add_driver("a", "libvulkan_other.so");
	add_driver("c", "libvulkan_another.so");
	snprintf(list, sizeof(list), "%1$s/b.json:%1$s/a.json:%1$s/c.json", kr_test_dir());
	setenv("VK_DRIVER_FILES", list, 1);
	expect(DELIVER("sh", "-c", LIST), 0, "libvulkan_other.so");
	setenv("VK_LOADER_DRIVERS_SELECT", "b.json", 1);
	expect(DELIVER("sh", "-c", LIST), 0, "libvulkan_lvp.so");
	unsetenv("VK_LOADER_DRIVERS_SELECT");
	setenv("VK_LOADER_DRIVERS_DISABLE", "a*,c*", 1);
	expect(DELIVER("sh", "-c", LIST), 0, "libvulkan_lvp.so");
	/* A name that was given is heeded all the same. */
	expect(DELIVER("--driver", "another", "sh", "-c", LIST), 0, "libvulkan_another.so");
}

/* docs/deliver.md, "What is inherited". */
static void
inheritance_is_as_documented(void **state)
{
	forget_drivers();
	add_driver("fake", "libvulkan_fake.so");
	setenv("VK_LOADER_DRIVERS_SELECT", "fake*", 1);
	expect(DELIVER("sh", "-c", "test ! \"$VK_LOADER_DRIVERS_SELECT\" && cat $VK_DRIVER_FILES"),
		0,
		mounts_can_be_had() ? "\"library_path\":\"/proc/self/fd/7"
				    : "\"library_path\": \"./krafla-delivered.so\"");
	if (mounts_can_be_had())
		expect(DELIVER("sh", "-c", "cat $VK_ICD_FILENAMES"), 0,
			"\"api_version\":\"1.2.3\"");
	expect(DELIVER("sh", "-c", "test ! \"$LD_LIBRARY_PATH\" && ls /proc/self/fd"), 0, "700");
	/* What isn't the driver's was closed. */
	expect(DELIVER("sh", "-c",
		       "for fd in 3 4 5 6 7 8 9; do test ! -e /proc/self/fd/$fd || exit 1; done"),
		0, "");
	expect(DELIVER("--strict", "sh", "-c", "echo $KRAFLA_DELIVERED"), 0, "memory:70");
	expect(DELIVER("--strict", "sh", "-c", LIST), 0, "libvulkan_fake.so");
}

static void
few_descriptors_are_enough_or_told(void **state)
{
	static const char few[] = "ulimit -n 40; exec " KRAFLA " deliver sh -c '" LIST "'";
	static const char none[] = "ulimit -n 6; exec " KRAFLA " deliver true";

	forget_drivers();
	add_driver("fake", "libvulkan_fake.so");
	expect((const char *const[]){"/bin/sh", "-c", few, NULL}, 0, "libvulkan_fake.so");
	expect((const char *const[]){"/bin/sh", "-c", none, NULL}, 125, "krafla deliver: ");
}

/* The kernel counts those that are on their way between all processes of a user. */
static void
too_many_descriptors_on_their_way(void **state)
{
	static const char few[] = "ulimit -n 150; exec \"$0\" deliver true";
	int unread[4][2], fds[100];
	const char *program;
	char command[1024];

	if (getuid())
		kr_test_skip("no-root", NULL);
	forget_drivers();
	add_driver("fake", "libvulkan_fake.so");
	assert_int_equal(chmod(kr_test_dir(), 0777), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(fds); i++)
		fds[i] = STDERR_FILENO;
	program = kr_test_program_for_others(KRAFLA);
	assert_int_equal(chmod(kr_test_dir(), 0777), 0);
	assert_int_equal(mkdir(kr_test_path("platform"), 0755), 0);
	snprintf(command, sizeof(command), "cp '" PLATFORM "'/*.txt %s", kr_test_path("platform"));
	assert_int_equal(system(command), 0);
	assert_int_equal(setenv("KRAFLA_PLATFORM", kr_test_path("platform"), 1), 0);
	/* A user who has nothing else. */
	assert_int_equal(setresuid(61007, 61007, 61007), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(unread); i++) {
		assert_int_equal(
			socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, unread[i]), 0);
		assert_int_equal(kr_packet_send(unread[i][0], "", 1, fds, KR_ARRAY_LEN(fds)), 0);
	}
	expect((const char *const[]){"/bin/sh", "-c", few, program, NULL}, 125,
		"too many file descriptors of this user are on their way");
	for (size_t i = 0; i < KR_ARRAY_LEN(unread); i++) {
		close(unread[i][0]);
		close(unread[i][1]);
	}
}

/* I-03: one that imports what no package may. */
static void
driver_that_is_refused(void **state)
{
	const char *manifest;

	forget_drivers();
	manifest = kr_test_file("refused.json",
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"" PART_DIR
		"/uses_setuid.so\", \"api_version\": \"1.2.3\"}}");
	expect(DELIVER("--driver", manifest, "echo", "it ran"), 125,
		"uses_setuid.so imports setuid, which no package may");
}

/* Skew is named before anything runs, with what is wanted and what there is. */
static void
driver_for_a_newer_libc(void **state)
{
	const char *manifest;

	forget_drivers();
	manifest = kr_test_file("future.json",
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"" PART_DIR
		"/future.so\", \"api_version\": \"1.2.3\"}}");
	expect(DELIVER("--driver", manifest, "echo", "it ran"), 125,
		"needs glibc 2.99 (GLIBC_2.99 of libc.so.6; this process has 2.");
	/* In a sandbox it may be right. */
	expect(DELIVER("--sandbox", "--driver", manifest, "echo", "it ran"), 0, "it ran");
}

/* Variables by which a driver finds its files lead to where they are, however they were given. */
static void
variables_lead_to_files(void **state)
{
	static const char script[] = "echo $X_FILE; cat $X_FILE";
	const char *manifest, *data = kr_test_file("data.txt", "what it reads");
	char package[1024], variable[1100];

	forget_drivers();
	manifest = add_driver("fake", "libvulkan_fake.so");
	snprintf(package, sizeof(package), "%s/package", kr_test_dir());
	snprintf(variable, sizeof(variable), "X_FILE=%s", data);
	expect(((const char *const[]){KRAFLA, "package", manifest, "-o", package, "--environment",
		       variable, NULL}),
		0, "X_FILE=data.txt");
	expect(DELIVER("--driver", package, "--strict", "sh", "-c", script), 0, "/proc/self/fd/70");
	expect(DELIVER("--driver", package, "--strict", "sh", "-c", script), 0, "what it reads");
	if (!mounts_can_be_had())
		return;
	expect(DELIVER("--driver", package, "sh", "-c", script), 0,
		"/proc/self/fd/700/data.txt\nwhat it reads");
	expect(DELIVER("--driver", package, "--library-path", "sh", "-c", script), 0,
		"/proc/self/fd/700/data.txt\nwhat it reads");
	expect(DELIVER("--driver", package, "--print", "--bwrap", "bwrap", "true"), 0,
		" --setenv X_FILE /proc/self/fd/700/data.txt ");
}

/* In a sandbox nobody has the libraries that a driver opens itself, so they come along. */
static void
libraries_that_a_driver_opens_come_along(void **state)
{
	const char *manifest;
	char command[2048];

	forget_drivers();
	setenv("KRAFLA_PROBE", PROBE, 1);
	snprintf(command, sizeof(command),
		"mkdir %1$s/sub && cp '" PART_DIR
		"/package_opener.so' %1$s/libvulkan_t.so && cp '" PART_DIR
		"/part_b.so' %1$s/sub/libpart_b.so.1",
		kr_test_dir());
	assert_int_equal(system(command), 0);
	manifest = kr_test_file("t.json",
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
		"\"./libvulkan_t.so\", \"api_version\": \"1.2.3\"}}");
	expect(DELIVER("--sandbox", "--driver", manifest, "sh", "-c", LIST), 0, "libpart_b.so.1");
	expect(DELIVER("--driver", manifest, "sh", "-c", LIST " | grep -c libpart_b"), 1, "0\n");
}

/* One that crashes when it is tried is given nevertheless, and what that may mean is said. */
static void
driver_that_cant_be_traced(void **state)
{
	forget_drivers();
	setenv("KRAFLA_PROBE", PROBE, 1);
	add_driver("fake", "libvulkan_fake.so");
	expect(DELIVER("--sandbox", "sh", "-c", LIST), 0, "libvulkan_fake.so");
	expect(DELIVER("--sandbox", "sh", "-c", LIST), 0,
		"krafla deliver: libraries that the driver opens itself may be missing in the sandbox: ");
}

/* What is printed does, in a shell, what would have been run; apart from the descriptors. */
static void
print_runs_nothing(void **state)
{
	char command[1024];
	struct result result;

	forget_drivers();
	add_driver("fake", "libvulkan_fake.so");
	run(&result, DELIVER("--print", "echo", "it's", "a b", "", "$HOME"));
	assert_int_equal(result.code, 0);
	assert_non_null(strstr(result.output,
		mounts_can_be_had() ? "VK_DRIVER_FILES=/proc/self/fd/" : "VK_DRIVER_FILES=/"));
	assert_int_equal(result.output[strlen(result.output) - 1], '\n');
	snprintf(command, sizeof(command), "%s", result.output);
	expect((const char *const[]){"/bin/sh", "-c", command, NULL}, 0, "it's a b  $HOME\n");
	expect(DELIVER("--print", "--bwrap", "bwrap", "--dev", "/dev", "a b"), 0,
		"bwrap --dev /dev --proc /proc ");
	expect(DELIVER("--print", "--bwrap", "bwrap", "--dev", "/dev", "a b"), 0, " -- 'a b'\n");
}

/* Welcomes one client after the other, and answers nothing. */
static void
welcome(int listener)
{
	const struct kr_ls_message hello = {
		.type = KR_LS_WELCOME, .welcome = {KR_LS_VERSION, 7, 16}};
	uint8_t bytes[KR_LS_MAX_SIZE];
	const size_t size = kr_ls_encode(&hello, bytes);
	char said[64];
	int client;

	alarm(60);
	while ((client = accept(listener, NULL, NULL)) >= 0) {
		if (kr_packet_send(client, bytes, size, NULL, 0))
			_exit(1);
		while (read(client, said, sizeof(said)) > 0)
			;
		close(client);
	}
}

/*
 * as after `su` with the environment of the user before. The user of a socket is who listens.
 */
static void
another_users_service(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	pid_t pid;

	if (geteuid())
		kr_test_skip("no-root", NULL);
	if (!access("/run/krafla/service", F_OK))
		kr_test_skip("system-service", NULL);
	forget_drivers();
	add_driver("fake", "libvulkan_fake.so");
	unsetenv("KRAFLA_SERVICE");
	setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/krafla", kr_test_dir());
	assert_int_equal(mkdir(address.sun_path, 0755), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/krafla/service", kr_test_dir());
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(listen(listener, 4), 0);
	assert_int_equal(seteuid(0), 0);
	pid = fork();
	if (!pid) {
		welcome(listener);
		_exit(0);
	}
	close(listener);
	expect(DELIVER("true"), 125, "krafla/service is that of user 65534, and this is user 0");
	expect(DELIVER("--no-service", "sh", "-c", LIST), 0, "libvulkan_fake.so");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The environment of programs is set here. */
#define BITS KR_TEST_KEEPS_MEMORY

static const struct kr_test tests[] = {
	KR_TEST_SLOW(wrong_command_lines, BITS, 60),
	KR_TEST_SLOW(exit_code_is_the_commands, BITS, 60),
	KR_TEST_SLOW(krafla_becomes_the_command, BITS, 60),
	KR_TEST_SLOW(drivers_have_several_names, BITS, 60),
	KR_TEST_SLOW(unknown_driver_is_told_with_those_there_are, BITS, 60),
	KR_TEST_SLOW(software_comes_last, BITS, 60),
	KR_TEST_SLOW(inheritance_is_as_documented, BITS, 60),
	KR_TEST_SLOW(few_descriptors_are_enough_or_told, BITS, 60),
	KR_TEST_SLOW(too_many_descriptors_on_their_way, BITS, 60),
	KR_TEST_SLOW(driver_that_is_refused, BITS, 60),
	KR_TEST_SLOW(driver_for_a_newer_libc, BITS, 60),
	KR_TEST_SLOW(variables_lead_to_files, BITS, 60),
	KR_TEST_SLOW(libraries_that_a_driver_opens_come_along, BITS, 60),
	KR_TEST_SLOW(driver_that_cant_be_traced, BITS, 60),
	KR_TEST_SLOW(print_runs_nothing, BITS, 60),
	KR_TEST_SLOW(another_users_service, BITS, 60),
};

KR_TEST_MAIN(tests)
