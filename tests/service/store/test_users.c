/* SPDX-License-Identifier: Apache-2.0 */
/* The store as services of several kinds have it, and clients in sandboxes of bubblewrap. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escapes.h"
#include "rig.h"
#include "tests/harness/harness.h"
#include "util/macros.h"

static int
read_only(void *data)
{
	const int fd = openat(((const struct target *)data)->fd, "libgood.so", O_RDONLY);
	char text[8] = "";

	MUST(fd >= 0 && read(fd, text, 8) == 4 && !strcmp(text, "good"));
	return 0;
}

/*
 * Gives to clients of its own user and with namespaces of their own, and holds against every
 * escape.
 */
static int
serve(void *data)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));

	for (int kind = CLIENT_SAME_USER; kind <= CLIENT_OWN_NAMESPACES; kind++) {
		struct kr_given given = give(generation, false);
		struct target target = {given.fds[0]};

		MUST(as_client(kind, read_only, &target));
		kr_given_finish(&given);
		for (size_t i = 0; i < mount_escape_count; i++) {
			given = give(generation, false);
			target.fd = given.fds[0];
			MUST(as_client(kind, mount_escapes[i].try, &target));
			assert_given_holds(&given, 0, "libgood.so", "good");
			kr_given_finish(&given);
		}
	}
	kr_generation_unref(generation);
	kr_store_destroy(store);
	return 0;
}

/* a service without any privilege. */
static void
unprivileged_service(void **state)
{
	if (geteuid() != 0)
		kr_test_skip("no-root", NULL);
	assert_int_equal(chown(kr_test_dir(), 65533, 65533), 0);
	if (!as_client(CLIENT_OTHER_USER, serve, NULL))
		kr_test_skip("no-namespaces", NULL);
}

/* a service in a container. */
static void
service_in_a_user_namespace(void **state)
{
	kr_test_dir();
	if (!as_client(CLIENT_OWN_NAMESPACES, serve, NULL))
		kr_test_skip("no-namespaces", NULL);
}

/* --- in a sandbox: this program is run again, with a descriptor that it inherits --- */

static const char *program;

static int
attack_all(int fd)
{
	struct target target = {fd};

	for (size_t i = 0; i < mount_escape_count; i++) {
		const pid_t pid = fork();

		if (pid == 0)
			_exit(mount_escapes[i].try(&target));
		if (wait_for_child(pid)) {
			fprintf(stderr, "# in the sandbox: %s\n", mount_escapes[i].name);
			return 1;
		}
	}
	return read_only(&target);
}

static int
run_sandbox(void *data)
{
	static char number[16];
	const int fd = ((const struct target *)data)->fd;
	const char *const arguments[] = {"bwrap", "--unshare-all", "--uid", "0", "--gid", "0",
		"--cap-add", "ALL", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
		program, "--attack", number, NULL};

	snprintf(number, sizeof(number), "%d", fd);
	MUST(!fcntl(fd, F_SETFD, 0));
	execvp("bwrap", (char *const *)arguments);
	return 99;
}

static bool
can_run_bwrap(void)
{
	return !system("bwrap --unshare-all --ro-bind / / true 2>/dev/null");
}

/* bubblewrap's sandbox, with all capabilities inside. */
static void
client_in_bubblewrap(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));

	if (!can_run_bwrap())
		kr_test_skip("no-bwrap", NULL);
	program = kr_test_program_for_others("/proc/self/exe");
	for (int kind = CLIENT_SAME_USER; kind <= CLIENT_OTHER_USER; kind += 2) {
		struct kr_given given = give(generation, false), other = give(generation, false);
		struct target target = {given.fds[0]};

		(void)as_client(kind, run_sandbox, &target);
		assert_given_holds(&other, 0, "libgood.so", "good");
		kr_given_finish(&given);
		kr_given_finish(&other);
	}
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(unprivileged_service, 0, 60),
	KR_TEST_SLOW(service_in_a_user_namespace, 0, 60),
	KR_TEST_SLOW(client_in_bubblewrap, 0, 60),
};

int
main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--attack"))
		return attack_all(atoi(argv[2]));
	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
