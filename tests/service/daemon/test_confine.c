/* SPDX-License-Identifier: Apache-2.0 */
/* What a service can still do once it has confined itself (I-05). */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/daemon/daemon.h"
#include "service/server/state.h"
#include "service/store/store.h"

static struct kr_server server;
static struct kr_config config;
static struct kr_tree *tree;
static char dev[300], socket_path[300];

static void
make_parts(void)
{
	char *reason;

	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	snprintf(dev, sizeof(dev), "%s/dev", kr_test_dir());
	snprintf(socket_path, sizeof(socket_path), "%s/run/service", kr_test_dir());
	assert_int_equal(mkdir(dev, 0777), 0);
	kr_test_file("dev/node", "");
	kr_test_file("file", "");
	assert_int_equal(mkdir(kr_test_path("run"), 0755), 0);
	kr_test_file("run/service", "");
	config.dev = dev;
	assert_int_equal(kr_store_create(KR_DELIVER_AUTO, &server.store, &reason), 0);
	assert_int_equal(kr_tree_create(server.store, "manifests", &tree), 0);
}

static int
error_of_opening(const char *name, int flags)
{
	const int fd = open(kr_test_path(name), flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int
error_of_socket(int family, int type, int protocol)
{
	const int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void
sockets_are_local(void)
{
	static const int families[] = {AF_INET, AF_INET6, AF_PACKET};

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(error_of_socket(families[i], SOCK_STREAM, 0), ENOSYS);
		assert_int_equal(error_of_socket(families[i], SOCK_DGRAM, 0), ENOSYS);
	}
	assert_int_equal(error_of_socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), ENOSYS);
	assert_int_equal(syscall(SYS_io_uring_setup, 1, NULL), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(error_of_socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT), 0);
	assert_int_equal(error_of_socket(AF_UNIX, SOCK_SEQPACKET, 0), 0);
}

static void
assert_confined(void)
{
	struct kr_daemon daemon = {
		.server = &server, .config = &config, .socket_path = socket_path};

	make_parts();
	assert_int_equal(error_of_opening("file", O_WRONLY), 0);
	kr_daemon_confine(&daemon);
	assert_null(server.unconfined);
	assert_int_equal(error_of_opening("file", O_WRONLY), EACCES);
	assert_int_equal(error_of_opening("new", O_RDWR | O_CREAT), EACCES);
	assert_int_equal(error_of_opening("dev/new", O_RDWR | O_CREAT), EACCES);
	assert_int_equal(unlink(kr_test_path("file")), -1);
	sockets_are_local();
	/* What it needs. */
	assert_int_equal(error_of_opening("file", O_RDONLY), 0);
	assert_int_equal(error_of_opening("dev/node", O_RDWR), 0);
	assert_int_equal(kr_tree_put(tree, "a/b.json", "{}", 2), 0);
	kr_tree_remove(tree, "a/b.json");
	assert_int_equal(unlink(socket_path), 0);
	kr_tree_destroy(tree);
	kr_store_destroy(server.store);
}

/* Which isn't confined itself, and so can clear up. */
static void
in_a_child(uid_t uid)
{
	int status;
	pid_t pid;

	if (uid && geteuid() != 0)
		kr_test_skip("no-root", NULL);
	if (uid)
		assert_int_equal(chown(kr_test_dir(), uid, uid), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (uid &&
			(setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
				prctl(PR_SET_DUMPABLE, 1)))
			_exit(1);
		assert_confined();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* I-05 */
static void
service_writes_what_it_needs_alone(void **state)
{
	in_a_child(0);
}

/* I-05 */
static void
ordinary_users_service_as_well(void **state)
{
	in_a_child(4242);
}

static const struct kr_test tests[] = {
	KR_TEST(service_writes_what_it_needs_alone),
	KR_TEST(ordinary_users_service_as_well),
};

KR_TEST_MAIN(tests)
