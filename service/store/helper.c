/* SPDX-License-Identifier: Apache-2.0 */
/* The namespaces of the store's child: see helper.h. */
#include "service/store/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/fd.h"
#include "wire/packet.h"

static int
write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Of all users only its own is mapped, which is all that somebody without privileges may do. */
static int
map_ids(uid_t uid, gid_t gid)
{
	char text[64];
	int ret = write_file("/proc/self/setgroups", "deny");

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%u %u 1", uid, uid);
	ret = write_file("/proc/self/uid_map", text);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%u %u 1", gid, gid);
	return write_file("/proc/self/gid_map", text);
}

/*
 * Mounts are copied as slaves of the host's: a disk that is mounted later is seen here, and none is
 * kept from being unmounted there. Nothing goes the other way.
 */
static int
make_root(void)
{
	if (mount("krafla", KR_HELPER_ROOT, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755"))
		return -errno;
	if (mkdir(KR_HELPER_WORK, 0700) || mkdir(KR_HELPER_GIVEN, 0700))
		return -errno;
	if (mount(NULL, KR_HELPER_ROOT, NULL, MS_PRIVATE, NULL))
		return -errno;
	if (mount(KR_HELPER_GIVEN, KR_HELPER_GIVEN, NULL, MS_BIND, NULL))
		return -errno;
	return mount(NULL, KR_HELPER_GIVEN, NULL, MS_SHARED, NULL) ? -errno : 0;
}

/*
 * In a child of the child: a nested user namespace and its mount namespace, of which a descriptor
 * is sent.
 */
static int
send_inner(int socket, int proc)
{
	int fd, ret;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return errno;
	fd = openat(proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	ret = kr_packet_send(socket, "", 1, &fd, 1);
	close(fd);
	return -ret;
}

static int
exit_code(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

static int
make_inner(int proc, int *inner)
{
	int pair[2], ret;
	size_t size, count = 0;
	char byte;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (pid == 0)
		_exit(send_inner(pair[1], proc));
	ret = pid < 0 ? -errno : exit_code(pid);
	if (!ret)
		ret = kr_packet_receive(pair[0], &byte, 1, &size, inner, 1, &count);
	if (!ret && count != 1)
		ret = -EPROTO;
	close(pair[0]);
	close(pair[1]);
	return ret;
}

static int
make_namespaces(struct kr_helper *helper, int proc, const char **failed)
{
	int ret;

	*failed = "mounting a tmpfs in a mount namespace of its own";
	ret = make_root();
	if (ret)
		return ret;
	*failed = "opening its mount namespace";
	helper->outer = openat(proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (helper->outer < 0)
		return -errno;
	helper->current = helper->outer;
	*failed = "making a nested user namespace";
	return make_inner(proc, &helper->inner);
}

int
kr_helper_enter(struct kr_helper *helper, const char **failed)
{
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	int proc, ret;

	*failed = "making a user namespace";
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return -errno;
	*failed = "writing the maps of a user namespace";
	ret = map_ids(uid, gid);
	if (ret)
		return ret;
	*failed = "opening /proc";
	proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return -errno;
	ret = make_namespaces(helper, proc, failed);
	close(proc);
	return ret;
}
