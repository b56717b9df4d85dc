/* SPDX-License-Identifier: Apache-2.0 */
/* How long what was given lasts: generations, packages, the service and its child go or change. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "tests/harness/harness.h"
#include "util/macros.h"
#include "wire/packet.h"

/* F-02: the generation goes, then the store; what was given out stays whole. */
static void
given_outlives_its_generation(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given given = give(generation, false);

	kr_generation_unref(generation);
	assert_holds_all(&given);
	kr_store_destroy(store);
	assert_holds_all(&given);
	kr_given_finish(&given);
}

static int
serve_until_killed(int socket, bool strict)
{
	struct kr_store *store = make_store(KR_DELIVER_AUTO);
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given given = give(generation, strict);

	MUST(!kr_packet_send(socket, &given.kind, sizeof(given.kind), given.fds, given.count));
	pause();
	return 0;
}

static void
outlive_service(bool strict)
{
	struct kr_given given = {0};
	size_t size;
	int pair[2];
	void *map;
	pid_t pid;
	int fd;

	kr_test_dir(); /* this process's, which removes it */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (pid == 0)
		_exit(serve_until_killed(pair[1], strict));
	while (kr_packet_receive(pair[0], &given.kind, sizeof(given.kind), &size, given.fds,
		       KR_ARRAY_LEN(given.fds), &given.count) == -EAGAIN)
		poll_for_input(pair[0]);
	fd = open_given(&given, 0, "libgood.so", O_RDONLY);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(wait_for_child(pid), 128 + SIGKILL);
	assert_memory_equal(map, "good", 4);
	assert_holds_all(&given);
	munmap(map, 4096);
	close(fd);
	kr_given_finish(&given);
	close(pair[0]);
	close(pair[1]);
}

/*
 * F-02: a service that is killed takes nothing from its clients: neither what is mapped nor what
 * isn't yet.
 */
static void
given_outlives_a_killed_service(void **state)
{
	outlive_service(false);
}

/* F-02 */
static void
memory_outlives_a_killed_service(void **state)
{
	outlive_service(true);
}

static void
replace_by_rename(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/package/%s", kr_test_dir(), name);
	assert_int_equal(rename(kr_test_file("newer", text), path), 0);
}

/* F-02: renaming over a file, and removing it, changes no generation. */
static void
replaced_package_is_unchanged(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given given = give(generation, false), later;
	char path[256];

	replace_by_rename("libgood.so", "newer");
	snprintf(path, sizeof(path), "%s/package/share/data.bin", kr_test_dir());
	assert_int_equal(unlink(path), 0);
	assert_holds_all(&given);
	for (int strict = 0; strict < 2; strict++) {
		later = give(generation, strict);
		assert_int_equal(later.kind, strict ? KR_DELIVERY_MEMORY : KR_DELIVERY_MOUNT);
		assert_holds_all(&later);
		kr_given_finish(&later);
	}
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/*
 * F-02: what is written into a file in place shows in mounts, not in copies; and nobody gets the
 * generation any more, which would be a mixture.
 */
static void
overwritten_package_is_not_given(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given mount = give(generation, false), memory = give(generation, true),
			none = {0};
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/package/libgood.so", kr_test_dir());
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "food", 4, 0), 4);
	assert_int_equal(futimens(fd, (struct timespec[2]){{1, 0}, {1, 0}}), 0);
	close(fd);
	assert_given_holds(&mount, 0, "libgood.so", "food");
	assert_given_holds(&memory, 0, "libgood.so", "good");
	assert_int_equal(kr_generation_give(generation, false, &none), -ESTALE);
	assert_int_equal(none.count, 0);
	kr_given_finish(&mount);
	kr_given_finish(&memory);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

static void
assert_delivery(json_t *take_state, const char *delivery, const char *reason)
{
	const char *had = json_string_value(json_object_get(take_state, "reason"));

	assert_string_equal(json_string_value(json_object_get(take_state, "delivery")), delivery);
	if (reason && (!had || !strstr(had, reason)))
		fail_msg("the reason is '%s'", had ? had : "(none)");
	if (!reason)
		assert_null(had);
	json_decref(take_state);
}

/* When the process that makes the mounts is gone, drivers are still given, and it is said how. */
static void
dead_helper_is_no_end(void **state)
{
	struct kr_store *store = make_auto_store();
	struct kr_generation *generation;
	struct kr_given given;

	generation = make_generation(store, make_package("package"));
	assert_delivery(kr_store_inspect(store), "mount", NULL);
	assert_delivery(kr_generation_inspect(generation), "mount", NULL);
	assert_int_equal(kill(helper_of(store), SIGKILL), 0);
	for (int i = 0; i < 2; i++) {
		given = give(generation, false);
		assert_int_equal(given.kind, KR_DELIVERY_MEMORY);
		assert_holds_all(&given);
		kr_given_finish(&given);
	}
	assert_delivery(kr_store_inspect(store), "memory", "ended");
	assert_delivery(kr_generation_inspect(generation), "memory", "ended");
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* Who asked for mounts gets no copies in their place. */
static void
mounts_alone_are_no_copies(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_package *package = make_package("other");
	struct kr_generation *other = NULL;
	struct kr_given given = {0};
	char *reason;

	assert_int_equal(kill(helper_of(store), SIGKILL), 0);
	assert_true(kr_generation_give(generation, false, &given) < 0);
	assert_int_equal(given.count, 0);
	assert_true(kr_generation_create(store, package, "1-libgood.so", &other, &reason) < 0);
	assert_null(other);
	assert_non_null(strstr(reason, "ended"));
	free(reason);
	kr_package_destroy(package); /* still the caller's */
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/*
 * It has nothing that the service has open: who is connected to the service sees its end, not the
 * child's.
 */
static void
helper_holds_no_descriptors(void **state)
{
	struct kr_store *store;
	struct pollfd poller = {.events = POLLIN};
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	store = make_mounting_store();
	close(pair[1]);
	poller.fd = pair[0];
	assert_int_equal(poll(&poller, 1, 10000), 1);
	assert_true(poller.revents & POLLHUP);
	close(pair[0]);
	kr_store_destroy(store);
}

/* A terminal's interrupt reaches it too; it works on until the service ends. */
static void
signals_dont_end_the_helper(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given given;

	for (size_t i = 0; i < KR_ARRAY_LEN(signals); i++)
		assert_int_equal(kill(helper_of(store), signals[i]), 0);
	given = give(generation, false);
	assert_int_equal(given.kind, KR_DELIVERY_MOUNT);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/*
 * The kernel refuses descriptors on their way when a user has too many of them, which the helper
 * can't help. It lives on, and gives mounts once there are fewer: no copies, which have more
 * descriptors still.
 */
static void
too_many_descriptors_on_their_way(void **state)
{
	static int unread[8][2];
	const struct rlimit limit = {.rlim_cur = 500, .rlim_max = 500};
	struct kr_generation *generation, *later = NULL;
	struct kr_given given = {0};
	struct kr_package *package;
	struct kr_store *store;
	char *reason = NULL;
	int fds[100];

	/* Nobody else's count here. */
	assert_int_equal(chmod(kr_test_dir(), 0777), 0);
	if (!getuid()) {
		assert_int_equal(setresuid(61005, 61005, 61005), 0);
		/* Else its files in /proc stay root's. */
		assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	store = make_auto_store();
	generation = make_generation(store, make_package("package"));
	package = make_package("other");
	for (size_t i = 0; i < KR_ARRAY_LEN(fds); i++)
		fds[i] = STDERR_FILENO;
	for (size_t i = 0; i < KR_ARRAY_LEN(unread); i++) {
		assert_int_equal(
			socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, unread[i]), 0);
		/* Beyond the limit it is refused, unless this is root. */
		(void)!kr_packet_send(unread[i][0], "", 1, fds, KR_ARRAY_LEN(fds));
	}
	assert_int_equal(kr_generation_give(generation, false, &given), -ETOOMANYREFS);
	assert_int_equal(kr_generation_create(store, package, "1-libgood.so", &later, &reason),
		-ETOOMANYREFS);
	free(reason);
	assert_delivery(kr_store_inspect(store), "mount", NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(unread); i++) {
		close(unread[i][0]);
		close(unread[i][1]);
	}
	given = give(generation, false);
	assert_int_equal(given.kind, KR_DELIVERY_MOUNT);
	kr_given_finish(&given);
	later = make_generation(store, package);
	given = give(later, false);
	assert_int_equal(given.kind, KR_DELIVERY_MOUNT);
	kr_given_finish(&given);
	kr_generation_unref(later);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

static const struct kr_test tests[] = {
	KR_TEST(given_outlives_its_generation),
	KR_TEST(given_outlives_a_killed_service),
	KR_TEST(memory_outlives_a_killed_service),
	KR_TEST(replaced_package_is_unchanged),
	KR_TEST(overwritten_package_is_not_given),
	KR_TEST(dead_helper_is_no_end),
	KR_TEST(mounts_alone_are_no_copies),
	KR_TEST(helper_holds_no_descriptors),
	KR_TEST(signals_dont_end_the_helper),
	KR_TEST(too_many_descriptors_on_their_way),
};

KR_TEST_MAIN(tests)
